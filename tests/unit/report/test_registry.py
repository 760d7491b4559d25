"""A record for the registry of deployments: what stands in it, who says so, and its form."""

import json
import re
from fractions import Fraction

import pytest
import yaml

import discreet as dp
from discreet.errors import InputError
from discreet.ledgers.file import open_ledger
from discreet.report.registry import LedgerFacts, blanks, record_of, yaml_of
from discreet.schema import About
from e2e.session import run

pytestmark = pytest.mark.claim("C544")
# As opendp/deployments-registry-data has it (commit 3e9c812, July 2026): names, and what may stand.
TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def group(names, **more):
    named = {**dict.fromkeys(names.split(), TEXT), **more}
    return {"type": "object", "additionalProperties": False, "properties": named}


def among(*values):
    return {"type": "string", "enum": [*values]}


NAMES = {"type": "array", "items": TEXT, "minItems": 1}
BASIC = group(
    "name intended_use data_product_region description",
    data_curators=NAMES,
    data_product_type=among(
        "Summary statistics", "Machine learning model", "Dataset", "Synthetic data"
    ),
    publication_date={"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
    data_product_sector=among(
        "Technology", "Healthcare", "Education", "Government", "Energy", "Finance"
    ),
)
BASIC["required"] = [name for name in BASIC["properties"] if name != "data_product_sector"]
VARIANTS = among("Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom")
PARTS = {
    "basic": BASIC,
    "dp_variant": group("data_domain unprotected_quantities", variant_name=VARIANTS),
    "privacy_loss": group(
        "privacy_unit privacy_unit_details privacy_parameters_details",
        privacy_parameters=group("", epsilon=NUMBER, delta=NUMBER, rho=NUMBER),
    ),
    "deployment_model": group(
        "model_name_details actors release_type_details data_source_type_details "
        "access_type_details",
        model_name=among("Central", "Local", "Shuffle", "Federated", "Varies"),
        release_type=among("One release", "Many releases"),
        data_source_type=among("Static", "Dynamic"),
        access_type=among("Interactive", "Non-interactive"),
    ),
    "accounting": group("post_processing composition"),
    "implementation": group("preprocessing_and_hyperparameter_tuning mechanisms justification"),
    "administrative": {
        **group("sources notes", registry_authors=NAMES),
        "required": ["registry_authors"],
    },
}
SCHEMA = group(
    "url_slug",
    status=among("Draft"),
    tier={"enum": [1, 2, 3]},
    deployment={**group("", **PARTS), "required": ["basic"]},
)
SCHEMA["required"] = ["url_slug", "status", "tier", "deployment"]
ROWS = [{"who": n % 40, "ward": "ab"[n % 2], "age": n % 90} for n in range(120)]


def declared(rows=ROWS):
    return dp.table(
        rows,
        name="visits: of 'all' wards # 1",
        unit=dp.unit("who", max_rows=3),
        columns={"age": dp.bounds(0, 90)},
        keys={"ward": ["a", "b"]},
    )


def made(folder, spend, budget, *questions, rows=ROWS):
    ledger = dp.ledger(folder / "t.ledger", budget=budget)
    return dp.run(dp.plan(declared(rows), *questions, spend=spend), ledger=ledger), ledger


def read(release, about=None, facts=None):
    """The record as others read it, checked."""
    jsonschema = pytest.importorskip("jsonschema")
    fields = record_of(release.document, about or About(), facts)
    record = yaml.safe_load(yaml_of(fields))
    jsonschema.Draft7Validator(SCHEMA).validate(record)
    return record, fields


@pytest.mark.parametrize(
    ("spend", "budget", "variant", "numbers"),
    [
        (dp.pure("1/3"), dp.pure(1), "Pure DP", {"epsilon": 1 / 3}),
        (dp.zcdp("1/50"), dp.zcdp(1), "Zero-concentrated DP", {"rho": 0.02}),
        (dp.gdp(mu2="1/4"), dp.gdp(mu2=1), "Custom", {"epsilon": 2.254085, "delta": 1e-6}),
        (dp.approx(1, "1e-6"), dp.approx(2, "1e-5"), "Approximate DP", None),
    ],
    ids=["pure", "zcdp", "gdp", "approx"],
)
def test_a_record_says_the_loss_and_never_less(tmp_path, spend, budget, variant, numbers):
    """In the parameters that the registry has; what it has not is read as epsilon at a delta."""
    release, _ = made(tmp_path, spend, budget, dp.count(by="ward"))
    record, _ = read(release)
    deployment = record["deployment"]
    parameters = deployment["privacy_loss"]["privacy_parameters"]

    assert deployment["dp_variant"]["variant_name"] == variant
    if numbers is None:
        loss = release.document.protection.loss
        numbers = {name: float(Fraction(loss[name])) for name in ("epsilon", "delta")}
    assert parameters == {name: pytest.approx(size, rel=1e-5) for name, size in numbers.items()}
    if variant == "Pure DP":
        assert Fraction(str(parameters["epsilon"])) >= Fraction(1, 3)


def test_keys_that_nobody_knew_and_what_they_may_fail_by(tmp_path):
    """rho beside a chance has no place of its own: it is custom, and both are told."""
    table = dp.table(
        ROWS, name="t", unit=dp.unit("who", max_rows=3), keys={"ward": dp.unknown(max_groups=2)}
    )
    ledger = dp.ledger(tmp_path / "t.ledger", budget=dp.zcdp(1, delta="1e-6"))
    plan = dp.plan(table, dp.count(by="ward"), spend=dp.zcdp("1/10", delta="1e-7"))
    record, _ = read(dp.run(plan, ledger=ledger))
    parameters = record["deployment"]["privacy_loss"]["privacy_parameters"]

    assert record["deployment"]["dp_variant"]["variant_name"] == "Custom"
    assert parameters["delta"] == pytest.approx(1.1e-6)
    assert "nobody knows beforehand" in record["deployment"]["dp_variant"]["data_domain"]


def test_each_field_says_who_says_it_and_blanks_are_marked(tmp_path):
    """The publisher's words count as such; nothing is guessed where there are none."""
    release, ledger = made(tmp_path, dp.zcdp("1/50"), dp.zcdp(1), dp.count(by="ward"))
    book = open_ledger(ledger.path).book()
    facts = LedgerFacts(book.budget(), book.spent(), 1)
    about = dp.about(
        title="Visits", publisher="An office", one="person", source="A survey", period="2025"
    )
    record, fields = read(release, about, facts)
    sources = {field.path[-1]: field.source for field in fields}
    basic = record["deployment"]["basic"]

    assert (basic["name"], basic["data_curators"]) == ("Visits", ["An office"])
    assert "Period: 2025." in basic["description"]
    assert sources["name"] == sources["data_curators"] == sources["privacy_unit"] == "about"
    assert sources["release_type"] == "ledger"
    assert record["deployment"]["deployment_model"]["release_type"] == "One release"
    assert record["url_slug"] == f"visits-an-office-{basic['publication_date'][:4]}"
    alone, without = read(release)
    assert alone["deployment"]["basic"]["data_curators"] == ["?"]
    assert "release_type" not in alone["deployment"]["deployment_model"]
    assert set(blanks(without)) - set(blanks(fields)) == {
        "data_curators",
        "release_type",
        "sources",
    }
    assert yaml_of(fields).count("# publisher") + yaml_of(fields).count("only the publisher") >= 6


def test_rules_of_publication_have_their_place(tmp_path):
    """And what was stated is not said to be proved."""
    rule = dp.publish(at_least=5)
    release, _ = made(tmp_path, dp.zcdp("1/2"), dp.zcdp(1), dp.count(by="ward", publish=rule))
    record, _ = read(release)
    assert "at_least = 5" in record["deployment"]["accounting"]["post_processing"]


def test_no_number_of_the_release_is_in_it(tmp_path):
    """Nothing but what the plan says: two tables give the same record, but for the day."""
    texts = []
    for number, rows in enumerate((ROWS, ROWS[:7])):
        (tmp_path / f"{number}").mkdir()
        release, _ = made(
            tmp_path / f"{number}", dp.pure(1), dp.pure(1), dp.count(by="ward"), rows=rows
        )
        document = release.document.model_copy(update={"created": "2026-01-01T00:00:00+00:00"})
        texts.append(yaml_of(record_of(document, About(), None)))
    assert texts[0] == texts[1]


def test_a_rehearsal_is_refused():
    plan = dp.plan(declared(), dp.count(by="ward"), spend=dp.zcdp("1/50"))
    with pytest.raises(InputError, match="no deployment"):
        record_of(dp.rehearse(plan).document, About(), None)


@pytest.mark.slow
def test_the_command_writes_it_once_and_knows_whose_ledger_it_is(tmp_path, monkeypatch):
    """Never over a file; another ledger is refused; JSON has the same text."""
    monkeypatch.chdir(tmp_path)
    release, _ = made(tmp_path, dp.zcdp("1/50"), dp.zcdp(1), dp.count(by="ward"))
    release.save("t.release")
    dp.ledger("other.ledger", budget=dp.zcdp(1))

    code, said = run("discreet registry t.release --ledger t.ledger --out record.yaml")
    assert code == 0, said
    assert "Only the publisher can fill: data_curators" in re.sub(r"\s+", " ", said)
    text = (tmp_path / "record.yaml").read_text()
    assert yaml.safe_load(text)["tier"] == 3
    assert run("discreet registry t.release --out record.yaml")[0] == 2
    assert run("discreet registry t.release --out no/record.yaml")[0] == 2
    code, said = run("discreet registry t.release --ledger other.ledger")
    assert code == 4, said
    code, said = run("discreet registry t.release --ledger t.ledger --json")
    assert json.loads(said)["record"] == text
