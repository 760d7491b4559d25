"""What is published: two builds are the same to the byte, and stand by themselves on an index."""

import importlib.util
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location(
    "dist", Path(__file__).parents[2] / "tools" / "dist.py"
)
dist = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(dist)
PROJECT = tomllib.loads(dist.ROOT.joinpath("pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """What the commit that is checked out becomes, in two places of the world."""
    if not dist.ROOT.joinpath(".git").exists():
        pytest.skip("a copy without its history has no commit to build")
    files, when = dist.committed()
    made = []
    for number, place in enumerate(dist.PLACES):
        folder = tmp_path_factory.mktemp(f"build{number}")
        made.append(dist.built(files, when, folder, place, umask=(0o022, 0o077)[number]))
    return made


@pytest.mark.slow
def test_two_builds_of_a_commit_are_the_same_to_the_byte(builds):
    """Whoever builds the tag gets the file that was published."""
    first, second = builds
    version = PROJECT["version"]
    names = [f"discreet-{version}-py3-none-any.whl", f"discreet-{version}.tar.gz"]

    assert [path.name for path in first] == [path.name for path in second] == names
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@pytest.mark.slow
def test_the_page_on_an_index_needs_nothing_beside_it(builds):
    """No link and no picture leads to where nothing is; the words of a link stay."""
    with zipfile.ZipFile(builds[0][0]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
        text = wheel.read(name).decode().split("\n\n", 1)[1]
        names = wheel.namelist()

    assert (
        re.findall(r"\]\((?!https?:)[^)]*\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)) == []
    )
    assert "![" not in text
    assert "the privacy promise and the limits before you publish" in text
    assert {
        "discreet/__init__.py",
        "discreet/errors.md",
        "discreet/py.typed",
        "discreet_command.py",
    } <= set(names)
    assert not [name for name in names if name.startswith(("tests", "docs", "bench"))]


def test_version_and_date_are_the_same_everywhere():
    """In the package, the changelog (thirty lines a version) and the citation."""
    changes = dist.ROOT.joinpath("CHANGELOG.md").read_text()
    head = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    cited = dist.ROOT.joinpath("CITATION.cff").read_text()
    (date,) = re.findall(r"^date-released: (\S+)$", cited, re.MULTILINE)

    assert head == [f"{PROJECT['version']} ({date})"]
    assert len(re.findall(r"^- ", changes, re.MULTILINE)) <= 30
    assert f"\nversion: {PROJECT['version']}\n" in cited


def test_the_readme_that_dist_runs():
    """Its blocks are found, and its first text is compared with lines left out, but for no others."""
    codes, expected, typed = dist.readme()

    assert len(codes) == 3
    assert codes[0].startswith("import discreet as dp\n")
    assert expected.startswith("Plan for census2000.csv: rho = 0.02 in all.")
    assert typed[0] == ". .venv/bin/activate"
    assert any(command.startswith("discreet verify ") for command in typed)
    assert "..." in expected
    assert dist.shows(expected, expected.replace("...", "any\n\nlines"))
    assert not dist.shows(expected, expected.replace("rho = 0.02", "rho = 0.03"))
    assert not dist.shows("a\n", "a\nb\n")
