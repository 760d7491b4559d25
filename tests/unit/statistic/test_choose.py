"""Choosing keys: the laws of both mechanisms, what they cost, and how far short they fall.

Chances are worked out by formulas of their own, in doubles, over every small list of numbers and every
move of it; draws are compared with them on a labelled tape.
"""

import math
from fractions import Fraction
from itertools import permutations, product

import pytest
from scipy import stats

import discreet as dp
from coins import Tape
from discreet.aggregate import Exact, Noisy
from discreet.document.check import checked_document
from discreet.errors import InputError, InternalError
from discreet.noise.registry import law_in, law_of
from discreet.noise.selection import ExponentialMechanism, PermuteAndFlip
from discreet.releases.door import door
from discreet.releases.draws import drawn

LAWS = [PermuteAndFlip, ExponentialMechanism]
LISTS = [*product(range(4), repeat=3)]
ALARM = 1e-9


def exponential(numbers, scale):
    """The chance of each place: weights over their sum."""
    weights = [math.exp((x - max(numbers)) / scale) for x in numbers]
    return [weight / sum(weights) for weight in weights]


def flipped(numbers, scale):
    """The chance of each place: over every order, that it is kept and none before it was."""
    kept = [math.exp((x - max(numbers)) / scale) for x in numbers]
    found, orders = [0.0] * len(numbers), [*permutations(range(len(numbers)))]
    for order in orders:
        none = 1.0
        for place in order:
            found[place] += none * kept[place] / len(orders)
            none *= 1 - kept[place]
    return found


CHANCES = {PermuteAndFlip: flipped, ExponentialMechanism: exponential}


def picks(numbers, scale, law, count):
    """The chance of each row of so many picks, one after the other."""
    rows = {(): 1.0}
    for _ in range(count):
        more = {}
        for row, chance in rows.items():
            left = [place for place in range(len(numbers)) if place not in row]
            one = CHANCES[law]([numbers[place] for place in left], scale)
            more |= {(*row, place): chance * p for place, p in zip(left, one, strict=True)}
        rows = more
    return rows


def moved(numbers, spread):
    """Every list that lies within the spread of this one: all moves between two ends."""
    for low in range(-spread, 1):
        for moves in product(range(low, low + spread + 1), repeat=len(numbers)):
            yield tuple(x + move for x, move in zip(numbers, moves, strict=True))


def worst(law, scale, spread, count, *, order=None):
    """The largest loss between a list and one within the spread: pure, or of an order a, over a."""
    most = 0.0
    for numbers in LISTS:
        one = picks(numbers, scale, law, count)
        for others in {*moved(numbers, spread)}:
            two = picks(others, scale, law, count)
            ratios = [one[row] / two[row] for row in one]
            if order is None:
                most = max(most, *map(math.log, ratios))
            else:
                mean = sum(p * r ** (order - 1) for p, r in zip(one.values(), ratios, strict=True))
                most = max(most, math.log(mean) / (order - 1) / order)
    return most


@pytest.mark.claim("C60")
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("spread", "count"), [(1, 1), (2, 1), (1, 2)])
def test_no_world_loses_more_than_the_pure_price(law, spread, count):
    """Every list of three numbers up to 3, every move within the spread, every row of picks."""
    paid = law(Fraction(2)).loss_in("pure", l1=count * spread, l2_squared=count * spread**2)
    found = worst(law, 2.0, spread, count)

    assert found <= float(paid.epsilon) + 1e-12
    assert worst(law, 2.0 / 1.25, spread, count) > float(paid.epsilon)  # the check has power


@pytest.mark.claim("C60")
@pytest.mark.parametrize("order", [1.5, 2, 8, 40])
def test_the_exponential_mechanism_keeps_an_eighth_of_its_square_and_permute_and_flip_does_not(
    order,
):
    """Of one pick and of two; that permute-and-flip may not be charged so little is seen at low orders."""
    for spread, count in [(1, 1), (2, 1), (1, 2)]:
        paid = ExponentialMechanism(Fraction(1)).loss(
            l1=count * spread, l2_squared=count * spread**2
        )
        assert (
            worst(ExponentialMechanism, 1.0, spread, count, order=order) <= float(paid.rho) + 1e-12
        )

    own = PermuteAndFlip(Fraction(1)).loss_in("zcdp", l1=2, l2_squared=4)
    found = worst(PermuteAndFlip, 1.0, 2, 1, order=order)
    assert found <= float(own.rho) + 1e-12
    assert (found > 2**2 / 8) == (order <= 2)


@pytest.mark.claim("C60")
def test_what_is_calibrated_costs_no_more_and_hardly_less():
    """In each kind of loss, for one pick and for ten."""
    for kind, loss in [
        ("pure", dp.pure("1/3")),
        ("zcdp", dp.zcdp("1/30")),
        ("gdp", dp.gdp(mu2="1/30")),
    ]:
        for count, spread in [(1, 1), (10, 6)]:
            law = law_in(kind, chooses=True)
            sizes = {"l1": count * spread, "l2_squared": count * spread**2}
            cost = law.calibrated(loss, **sizes).few_up().loss_in(kind, **sizes)
            assert cost.fits(loss)
            assert cost.numbers[0] >= loss.numbers[0] * Fraction(9_999, 10_000)


def test_a_choice_is_read_back_and_has_no_noise():
    """Its plain data; whatever asks it for noise is refused."""
    for law in (one for kind in LAWS for one in kind.examples()):
        assert law_of(law.plain()) == law
        assert law.words.replace("-", "_").replace(" ", "_") == law.name
        for ask, *given in [(law.mass, 0), (law.tail, 1), (law.variance,), (law.continuous,)]:
            with pytest.raises(InternalError, match="asked for its noise"):
                ask(*given)


@pytest.mark.exhaustive
@pytest.mark.claim("C60")
@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("numbers", "scale"),
    [((7, 7, 5, 0), Fraction(2)), ((3, 2, 1, 0), Fraction(5, 2)), ((10**30, 10**30 - 9, 0), 10)],
)
def test_draws_follow_the_law(law, numbers, scale, count):
    """Thirty thousand draws; a right one fails with probability 1e-9, when it is first tried."""
    expected = picks(numbers, float(scale), law, count)
    tape, of = Tape(f"{law.__name__} {numbers} {count}"), law(Fraction(scale))
    seen = dict.fromkeys(expected, 0)
    for _ in range(30_000):
        seen[of.picked(numbers, count, tape)] += 1

    likely = [row for row, chance in expected.items() if chance * 30_000 > 5]
    assert sum(seen[row] for row in likely) >= 30_000 - 40
    found = [seen[row] for row in likely]
    whole = sum(expected[row] for row in likely)
    wanted = [expected[row] / whole * sum(found) for row in likely]
    assert len(likely) > 1
    assert stats.chisquare(found, wanted).pvalue > ALARM


@pytest.mark.claim("C61")
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**4)])
@pytest.mark.parametrize("others", [1, 3, 6])
def test_a_choice_falls_short_as_rarely_as_it_says(law, alpha, others):
    """Of lists whose others all lie just beyond what is said; one step nearer is too often."""
    of = law(Fraction(3))
    short = of.half_width(min(alpha / ((1 - alpha) * others), Fraction(999, 1000)))

    def missed(below):
        return sum(CHANCES[law]([0, *[-below] * others], 3.0)[1:])

    assert missed(short + 1) <= alpha
    if law is ExponentialMechanism and short:
        assert missed(short) > alpha


ROWS = [{"ward": "AAAABBC"[i % 7], "cost": i % 5} for i in range(700)]


def declared(rows=ROWS, **how):
    how = {"unit": "row", "name": "visits", **how}
    return dp.table(
        rows, columns={"cost": dp.bounds(0, 5, step=1)}, keys={"ward": list("ABCD")}, **how
    )


@pytest.mark.claim("C60")
@pytest.mark.parametrize(
    ("neighbors", "whose", "of", "spread"),
    [
        ("add_remove", "row", None, 1),
        ("replace", "row", None, 2),
        ("add_remove", "row", "cost", 5),
        ("replace", dp.unit("who", max_rows=3), None, 6),
        ("add_remove", dp.unit("who", max_rows=3), "cost", 15),
    ],
)
def test_a_spread_is_what_the_declaration_allows(neighbors, whose, of, spread):
    """By hand: one unit moves counts up alone; exchanged ones move two counts apart."""
    (found,) = dp.choose("ward", most=of).aggregates(declared(unit=whose, neighbors=neighbors))

    assert found.choice.spread == spread
    assert found.paid == found.choice.moved


SPENDS = [dp.pure(2), dp.zcdp("1/2"), dp.approx(2, "1e-6"), dp.gdp(mu2=1)]


@pytest.mark.exhaustive
@pytest.mark.claim("C60")
@pytest.mark.parametrize("spend", SPENDS, ids=str)
def test_a_choice_is_released_paid_and_verified(spend, tmp_path):
    """The most frequent key, the two largest sums, and a count beside them, in one plan."""
    asked = [dp.choose("ward"), dp.top_k("ward", 2, most="cost"), dp.count("ward")]
    plan = dp.plan(declared(), *asked, spend=spend)
    ledger = dp.ledger(tmp_path / "a.ledger", budget=spend)
    release = dp.run(plan, ledger=ledger)

    assert plan.cost.fits(spend)
    assert [row["ward"] for row in release["choose by ward"]] == ["A"]
    assert [row["ward"] for row in release["top_k 2 by ward, most cost"]] == ["A", "B"]
    assert "by ward" in str(dp.load(release.save(tmp_path / "r") or tmp_path / "r"))
    assert dp.verify(tmp_path / "r", ledger=ledger).checks
    events = plan.events()
    assert [event["cells"] for event in events] == [1, 2, 4]


MANY = {
    "fifty": ([dp.top_k("w", 50)], dp.approx(1, "1e-6")),
    "one": ([dp.choose("w")], dp.approx("0.01", "0.01")),
    "quantiles": (
        [dp.quantile("x", f"{n}/20", method="choice") for n in range(1, 20)],
        dp.approx(1, "1e-6"),
    ),
}


@pytest.mark.slow
@pytest.mark.claim("C60")
@pytest.mark.parametrize("case", MANY)
def test_many_choices_alone_cost_no_more_than_was_to_be_spent(case, tmp_path):
    """Each is pure, but together they are composed as zCDP: added up, the fifty cost three times
    the epsilon that the plan was given, and so were charged.
    """
    asked, spend = MANY[case]
    rows, columns = [{"w": n % 60, "x": n} for n in range(60)], {"x": dp.bounds(0, 60, step=1)}
    table = dp.table(rows, unit="row", name="t", keys={"w": range(60)}, columns=columns)
    plan, ledger = dp.plan(table, *asked, spend=spend), tmp_path / "a.ledger"

    dp.ledger(ledger, budget=dp.approx(9, "1/10"))
    release = dp.run(plan, ledger=ledger)

    assert plan.cost.fits(spend)
    assert plan.price("pure").epsilon > spend.epsilon
    assert dp.verify(release.save(tmp_path / "r"), ledger=ledger).checks


@pytest.mark.claim("C63")
def test_picks_that_hold_together_share_out_their_alpha():
    """Each of two at half of it, by hand; what has no number is not compared."""
    plan = dp.plan(declared(), dp.top_k("ward", 2), spend=dp.zcdp("1/50"))
    release, (law,) = dp.rehearse(plan), plan.laws
    found = release.intervals("top_k 2 by ward", together=True)

    level = Fraction(1, 40)
    assert {row["high"] for row in found} == {law.half_width(level / ((1 - level) * 3))}
    assert len(found.rows) == 2
    with pytest.raises(InputError, match="no numbers to compare"):
        release.difference("top_k 2 by ward", {"rank": 1}, {"rank": 2})
    with pytest.raises(InputError, match="do not add up"):
        release.total("top_k 2 by ward")


def test_a_choice_that_was_changed_does_not_verify():
    """Another key, a place twice, a place that is not there, or a smaller interval."""
    release = dp.rehearse(dp.plan(declared(), dp.top_k("ward", 2), spend=dp.pure(9)))
    text = release.document.text()
    at, then = release.document.statistics[0].vectors[0].noisy
    for old, new in [
        (f'"noisy":[{at},{then}]', f'"noisy":[{at},{at}]'),
        (f'"noisy":[{at},{then}]', f'"noisy":[{at},4]'),
        (f'"noisy":[{at},{then}]', f'"noisy":[{then},{at}]'),
        (f'[1,"{"ABCD"[at]}",0', '[1,"E",0'),
        (f'[1,"{"ABCD"[at]}",0', f'[2,"{"ABCD"[at]}",0'),
    ]:
        assert text.count(old) == 1
        with pytest.raises(InputError, match="not a whole release"):
            checked_document(text.replace(old, new))
    assert checked_document(text).text() == text


@pytest.mark.claim("C60")
def test_nothing_but_places_passes_the_door():
    """Whatever numbers there are, as many places leave as were paid for, and each but once."""
    law = PermuteAndFlip(Fraction(1))
    plan = dp.plan(declared(), dp.top_k("ward", 3), spend=dp.pure(3))
    (one,) = plan.aggregates
    (noise,) = drawn([(law, one.paid, 3)], paid=dp.pure(3), coins=Tape("door"))

    found = door(Exact((9, 8, 7, 10**40)), noise)

    assert isinstance(found, Noisy)
    assert found.values[0] == 3
    assert len({*found.values}) == 3
    assert {*found.values} < {*range(4)}
    with pytest.raises(InternalError, match="the noise costs"):
        drawn([(law, one.paid, 3)], paid=dp.pure("2.99"), coins=Tape("door"))


@pytest.mark.claim("C61")
def test_the_interval_of_an_answer_is_that_of_all_other_keys():
    """By hand, of four keys: three others; sums in the column's own measure."""
    law, table = ExponentialMechanism(Fraction(7)), declared()
    for asked, step in [(dp.choose("ward"), 1), (dp.choose("ward", most="cost"), 1)]:
        answer = asked.answer(table, [Noisy((2,))], [law], Fraction(1, 20))
        assert answer.index == ((1, "C"),)
        assert (answer.values, answer.low) == ((0,), (0,))
        assert answer.high == (step * math.floor(7 * math.log(3 * 19)),)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: dp.choose(None), "choose has no keys to choose from"),
        (lambda: dp.top_k("ward", 0), "k = 0"),
        (lambda: dp.choose("ward", most=3), "is not the name of a column"),
        (
            lambda: dp.plan(declared(), dp.top_k("ward", 4), spend=dp.pure(1)),
            "cannot choose 4 of 4",
        ),
        (lambda: dp.plan(declared(), dp.choose("town"), spend=dp.pure(1)), "no public keys"),
        (lambda: dp.plan(declared(), dp.choose("ward", most="x"), spend=dp.pure(1)), "no bounds"),
    ],
)
def test_what_cannot_be_chosen_is_refused(ask, said):
    """In three lines, before anything is read."""
    with pytest.raises(InputError, match=said) as caught:
        ask()
    assert "why:" in str(caught.value)
    assert "fix:" in str(caught.value)


def test_a_wanted_shortfall_is_kept_at_the_least_price():
    """within= is how far short the choice may fall; one less is not kept by a wider scale."""
    plan = dp.plan(declared(), dp.choose("ward", within=20))
    (line,) = plan.lines
    expected = line.statistic.expected(plan.table, line.laws, plan.alpha)

    assert expected.half_width <= 20
    wider = type(line.laws[0])(line.laws[0].scale * Fraction(1_001, 1_000))
    assert line.statistic.expected(plan.table, [wider], plan.alpha).half_width > 20
    assert "at most 20 short" in str(plan)


def test_of_unknown_keys_neither_pairs_nor_a_shortfall_are_asked():
    """Pairs would hold all others many times; how short it falls hangs on how many are found."""
    people = dp.table(
        ROWS, unit="row", name="visits", keys={"ward": dp.unknown(max_groups=2), "sex": ["F", "M"]}
    )
    spend = dp.approx(1, "1e-6")
    assert dp.plan(people, dp.top_k("ward", 3), spend=spend).aggregates[0].size(people) == 0
    for question in (dp.choose(["ward", "sex"]), dp.choose("ward", within=9)):
        with pytest.raises(InputError, match=r"cannot|takes no") as refused:
            dp.plan(people, question, spend=spend)
        assert str(refused.value).count("\n") == 2
