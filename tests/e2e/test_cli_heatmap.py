"""`discreet heatmap`: from points to a map, its price first, its refusals free."""

import json
from base64 import b64encode
from contextlib import contextmanager

import pytest
from session import run
from terminal import on_terminal

import discreet as dp
from discreet.cli.charge import Wishes
from discreet.cli.heatmap import Where, run_heatmap
from discreet.cli.output import Interrupted, Screen
from discreet.errors import VerifyError
from discreet.report.page import MOST_PICTURE

ROADS = {
    "places": [[0, 0], [0.01, 0], [0.02, 0], [0, 0.01], [0.01, 0.01], [0.02, 0.01]],
    "edges": [[0, 1], [1, 2], [3, 4], [4, 5], [0, 3], [1, 4], [2, 5]],
}
MAP = "discreet heatmap trips.csv --graph roads.json --within 150 --ledger trips.ledger"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    points = [f"{0.01 * (i % 3)},{0.01 * (i % 2)},{i % 9},{i % 4}" for i in range(500)]
    (tmp_path / "trips.csv").write_text("\n".join(["longitude,latitude,cab,n", *points]))
    (tmp_path / "roads.json").write_text(json.dumps(ROADS))
    dp.ledger("trips.ledger", budget=dp.zcdp(1), subject="trips.csv")
    return tmp_path


def left(folder):
    return str(dp.ledger(folder / "trips.ledger").left())


@pytest.mark.slow
@pytest.mark.claim("C41")
def test_a_map_of_pure_noise_costs_no_delta(folder):
    """A2: the plan, what is charged and what is left say the same, and the same map fits again."""
    dp.ledger("pairs.ledger", budget=dp.approx(2, "1e-6"), subject="trips.csv")
    line = MAP.replace("trips.ledger", "pairs.ledger") + " --epsilon 1 --delta 1e-6"
    for name, rest in (("one", "(1, 0.000001)"), ("two", "(0, 0.000001)")):
        code, said = run(f"{line} --request {name} --out {name}.map")

        assert code == 0, said
        assert "(epsilon, delta) = (1, 0) in all. Nothing has been read." in said
        assert "No delta is spent: this noise needs none." in said
        assert "Charged (epsilon, delta) = (1, 0)." in said
        assert f"Left in pairs.ledger: (epsilon, delta) = {rest}." in said
    assert run("discreet verify one.map --ledger pairs.ledger")[0] == 0


@pytest.mark.slow
def test_a_map_is_paid_drawn_and_checked(folder):
    """The price comes first; the same again costs nothing; the release in it verifies."""
    code, said = run(f"{MAP} --rho 1/8 --out trips.map")
    assert code == 0, said
    assert said.index("Nothing has been read") < said.index("Charged rho = 0.125")
    assert {p.name for p in (folder / "trips.map").iterdir()} >= {
        "map.png",
        "map.geojson",
        "release.json",
    }
    assert all(
        p.stat().st_mode & 0o077 == 0
        for p in (folder / "trips.map").iterdir()
        if p.name.startswith("map")
    )

    first = (folder / "trips.map" / "map.geojson").read_bytes()
    code, said = run(f"{MAP} --rho 1/8 --out trips.map")
    assert (code, "Nothing was charged" in said) == (0, True)
    assert (folder / "trips.map" / "map.geojson").read_bytes() == first
    assert left(folder) == "rho = 0.875"
    assert run("discreet verify trips.map --ledger trips.ledger")[0] == 0


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        "--rho 1/8",
        "--unit cab --max-rows 5 --epsilon 1 --delta 1e-6 --request other",
        "--weight n --max-weight 3 --rho 1/8 --clean raw",
    ],
)
def test_each_way_to_count_answers_with_one_object(options, folder):
    """With --json: the release, what is left, and where the map is."""
    dp.ledger("trips.ledger").path.unlink()
    delta = "--delta" in options
    dp.ledger("trips.ledger", budget=dp.approx(2, "1e-5") if delta else dp.zcdp(1))
    code, said = run(f"{MAP} {options} --json")
    answer = json.loads(said)

    assert (code, answer["command"], answer["saved"]) == (0, "heatmap", "heatmap")
    assert len(answer["release"]["statistics"][0]["vectors"][0]["noisy"]) == 6


REFUSED = {
    "--rho 1/8 --epsilon 1": "what the map may cost",
    "": "what the map may cost",
    "--rho 1/8 --box 0,0,1,1": "where points are counted",
    "--rho 1/8 --clean magic": "no denoiser",
    "--rho 1/8 --longitude lon": "no column",
    "--rho 1/8 --unit cab": "go together",
    "--rho 1/8 --unit cab --max-rows many": "whole number",
    "--rho 1/8 --weight n": "upper end",
    "--rho 1/8 --out trips.csv": "is the name of a file",
    "--rho 1/8 --out map.zip": "would be a zip",
    "--rho 2": "--rho 1;",
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("options", REFUSED)
def test_what_can_be_refused_is_refused_for_nothing(options, folder):
    """Three lines, and the budget is whole."""
    code, said = run(f"{MAP} {options}")

    assert code in (2, 3), said
    assert REFUSED[options] in said
    assert "\n  fix: " in said
    assert left(folder) == "rho = 1"


@pytest.mark.parametrize(
    "where",
    [
        "",
        "--graph roads.json",
        "--graph none.json --within 9",
        "--box 0,0,1,1 --cells 2",
        "--box a,b,c,d --cells 2x2",
        "--box 1,1,0,0 --cells 2x2",
    ],
)
def test_a_map_that_is_none_is_refused_for_nothing(where, folder):
    code, said = run(f"discreet heatmap trips.csv {where} --ledger trips.ledger --rho 1/8")

    assert (code, left(folder)) == (2, "rho = 1"), said


@pytest.mark.slow
def test_a_terminal_sees_which_denoiser_is_tried(folder):
    """Name, place and number of each one, on standard error; a pipe and --json see none of it."""
    words = f"{MAP} --rho 1/8 --out trips.map".split()[1:]
    code, out, seen = on_terminal(words, folder)
    assert code == 0, seen
    assert all(b"Cleaning, %d of 10: " % place in seen for place in range(1, 11))
    assert b"Cleaning, 10 of 10: trend_filter_1" in seen
    assert b"Cleaning," not in out

    code, out, seen = on_terminal(["denoise", "trips.map", "--out", "cleaned.csv"], folder)
    assert (code, b"Cleaning, 6 of 6: " in seen, b"\x1b" in out) == (0, True, False)

    code, out, seen = on_terminal(["denoise", "trips.map", "--json"], folder)
    assert (code, json.loads(out)["ok"], seen) == (0, True, b"")
    code, said = run("discreet denoise trips.map")
    assert (code, "Cleaning," in said) == (0, False)


class Impatient(Screen):
    """A caller who presses Ctrl-C at the first denoiser."""

    @contextmanager
    def counting(self, what):
        def press(name, place, count):
            raise KeyboardInterrupt

        yield press


@pytest.mark.slow
def test_a_map_that_is_stopped_while_it_is_cleaned_is_not_lost(folder):
    """The release is paid and written by then; the same again draws it for nothing."""
    where = Where(folder / "roads.json", "150", largest=False, box=None, cells=None)
    names = ("longitude", "latitude", "weight", "max_weight", "unit", "max_rows", "name")
    points = dict.fromkeys(names) | {"source": "trips.csv"}
    loss = {"rho": "1/8", "epsilon": None, "delta": None}
    wishes = Wishes(ledger=folder / "trips.ledger", out=folder / "trips.map")

    with pytest.raises(Interrupted, match="returns the stored answer for nothing"):
        run_heatmap(Impatient(), points, where, loss, wishes, how="auto")
    kept = dp.load(folder / "trips.map").document
    assert left(folder) == "rho = 0.875"
    assert not (folder / "trips.map" / "map.png").exists()

    code, said = run(f"{MAP} --rho 1/8 --out trips.map")
    assert (code, "Nothing was charged" in said) == (0, True), said
    assert dp.load(folder / "trips.map").document == kept
    assert (folder / "trips.map" / "map.png").exists()
    assert left(folder) == "rho = 0.875"


def test_an_empty_file_has_no_columns(folder):
    """It is refused as every file without a header is."""
    (folder / "trips.csv").write_text("")
    code, said = run(f"{MAP} --rho 1/8")

    assert (code, left(folder)) == (2, "rho = 1"), said


@pytest.mark.slow
@pytest.mark.claim("C248")
def test_a_map_of_a_file_with_semicolons_says_how_its_decimals_are_written(folder):
    """Refused before the charge, with the option to type; typed, the map counts the same points."""
    text = (folder / "trips.csv").read_text()
    (folder / "semi.csv").write_text(text.replace(",", ";").replace(".", ","))
    line = (
        MAP.replace("trips.csv", "semi.csv").replace("trips.ledger", "semi.ledger") + " --rho 1/8"
    )
    dp.ledger("semi.ledger", budget=dp.zcdp(1), subject="semi.csv")

    code, said = run(f"{line} --out a.map")
    assert code == 2
    assert "nothing says how its decimals are written" in said
    assert "--decimal ," in said
    assert str(dp.ledger("semi.ledger").left()) == "rho = 1"

    code, said = run(f"{line} --decimal , --out b.map")
    assert code == 0, said
    release = dp.load("b.map")
    shown = release[next(iter(release.keys()))].rows
    assert 350 < sum(row["value"] for row in shown) < 650


@pytest.mark.slow
def test_the_report_of_a_map_holds_its_map(folder):
    """Raw, cleaned and error beside each other, once it is drawn; words that are put right keep it."""
    assert run(f"{MAP} --rho 1/8 --out trips.map")[0] == 0
    place = folder / "trips.map"
    picture = (place / "map.png").read_bytes()
    held = f"data:image/png;base64,{b64encode(picture).decode()}"
    text = (place / "report.html").read_text("utf-8")
    assert len(picture) <= MOST_PICTURE
    assert held in text
    assert len(text.encode()) < 150_000
    assert 'href="map.png"' in text
    assert "report.html" in " ".join(dp.verify(place).checks)

    dp.load(place).annotate(place, dp.about(title="Trips"))
    text = (place / "report.html").read_text("utf-8")
    assert "<h1>Trips</h1>" in text
    assert 'href="map.png"' in text
    dp.verify(place)
    (place / "map.png").write_bytes(picture[:-9] + b"forged...")
    with pytest.raises(VerifyError, match=r"report\.html does not say"):
        dp.verify(place)
