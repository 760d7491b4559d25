"""How much noise, how much accuracy, how much privacy: noise by one noun; no data, no coins.

`noise` of a law and a size (or of a loss that it is made for) is asked by its methods: `accuracy`,
`tail`, `epsilon`, `delta`, `rho` and `mu2`, and `sigma`, `sigma2` or `scale`, the least that keeps
the loss. `noise_for`, `epsilon_for` and `rho_for` an accuracy are the way back. Each method is a
function, too: `accuracy`, `tail_of`, `epsilon_of`, `delta_of`, `rho_of`, `mu2_of`, `sigma_for`,
`sigma2_for` and `scale_for`. `explain` says any of it in sentences, `compare` ranks the laws for a
sensitivity and a budget; `note_accuracy`, `note_epsilon` and `note_sigma` are formulas as older
documents print them. `chances_of` bounded counts and `chances_of_choice` list a law,
`safe_at_any_width` and `redrawing_ratio` say what redrawing costs; `proportion_moves` and
`proportion_deviation` are about shares of a whole. `shrunk`, `adding_up` and `in_order` are done
with numbers that are public already; `risk_of` says what shrinking leaves, `minimax_over` what is
the least that it can leave at worst, and `necessary_sigma` the noise that a loss cannot do without.

Example: how far off is a count at epsilon = 0.1, which noise keeps it within 10, and at what price?

    >>> from discreet.calculator import noise, noise_for
    >>> noise("geometric", epsilon="0.1").accuracy(alpha="0.05")
    30
    >>> noise_for("geometric", accuracy=10, alpha="0.05")
    Decimal('3.5168110832715311')
    >>> noise("geometric", scale="3.5").epsilon(at_delta=0)
    Decimal('0.28571428571428572')
    >>> noise("gaussian", epsilon=1, delta="1e-6").sigma()
    Decimal('4.2246788893268354')
"""

from inspect import isfunction

from ..calls import checked
from .chances import chances_of as chances_of
from .chances import chances_of_choice as chances_of_choice
from .chances import proportion_deviation as proportion_deviation
from .chances import proportion_moves as proportion_moves
from .chances import redrawing_ratio as redrawing_ratio
from .chances import safe_at_any_width as safe_at_any_width
from .compare import compare as compare
from .explain import explain as explain
from .for_accuracy import epsilon_for as epsilon_for
from .for_accuracy import noise_for as noise_for
from .for_accuracy import rho_for as rho_for
from .functions import accuracy as accuracy
from .functions import delta_of as delta_of
from .functions import epsilon_of as epsilon_of
from .functions import mu2_of as mu2_of
from .functions import rho_of as rho_of
from .functions import scale_for as scale_for
from .functions import sigma2_for as sigma2_for
from .functions import sigma_for as sigma_for
from .functions import tail_of as tail_of
from .naive_formulas import note_accuracy as note_accuracy
from .naive_formulas import note_epsilon as note_epsilon
from .naive_formulas import note_sigma as note_sigma
from .questions import noise as noise
from .shrink import adding_up as adding_up
from .shrink import in_order as in_order
from .shrink import risk_of as risk_of
from .shrink import shrunk as shrunk
from .worst_case import minimax_over as minimax_over
from .worst_case import necessary_sigma as necessary_sigma

globals().update(
    {
        name: checked(verb, f"{__name__}.{name}")
        for name, verb in globals().items()
        if isfunction(verb) and verb.__module__.startswith(__name__)
    }
)
