"""How much noise, how much accuracy, how much privacy: one verb per direction; no data, no coins.

`accuracy` of a law; `epsilon_for`, `rho_for` and `noise_for` an accuracy; `sigma_for`, `sigma2_for`
and `scale_for` a loss; `delta_of`, `epsilon_of`, `rho_of` and `mu2_of` noise at hand; `tail_of` an
error; and `note_accuracy`, `note_epsilon`, `note_sigma`, formulas as older documents print them.
`explain` says any of it in sentences, `compare` ranks the laws for a sensitivity and a budget.
`chances_of` bounded counts and `chances_of_choice` list a law, `safe_at_any_width` and
`redrawing_ratio` say what redrawing costs; `proportion_moves` and `proportion_deviation` are about
shares of a whole. `shrunk`, `adding_up` and `in_order` are done
with numbers that are public already; `risk_of` says what shrinking leaves.

Example: how far off is a count at epsilon = 0.1, and which epsilon keeps it within 10?

    >>> from discreet.calculator import accuracy, epsilon_for, sigma_for
    >>> accuracy("geometric", epsilon="0.1", alpha="0.05")
    30
    >>> epsilon_for("geometric", accuracy=10, alpha="0.05")
    Decimal('0.28434851242272161')
    >>> sigma_for("gaussian", epsilon=1, delta="1e-6")
    Decimal('4.2246788893268354')
"""

from inspect import isfunction

from ..calls import checked
from .accuracy import accuracy as accuracy
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
from .noise import scale_for as scale_for
from .noise import sigma2_for as sigma2_for
from .noise import sigma_for as sigma_for
from .printed_formulas import note_accuracy as note_accuracy
from .printed_formulas import note_epsilon as note_epsilon
from .printed_formulas import note_sigma as note_sigma
from .privacy import delta_of as delta_of
from .privacy import epsilon_of as epsilon_of
from .privacy import mu2_of as mu2_of
from .privacy import rho_of as rho_of
from .shrink import adding_up as adding_up
from .shrink import in_order as in_order
from .shrink import risk_of as risk_of
from .shrink import shrunk as shrunk
from .tail import tail_of as tail_of

globals().update(
    {
        name: checked(verb, f"{__name__}.{name}")
        for name, verb in globals().items()
        if isfunction(verb) and verb.__module__.startswith(__name__)
    }
)
