"""What each command answers under --json: one object, whose shape is checked and published.

Rules of this module:
- one class per command; a name means the same in each of them;
- losses and exact numbers are text ("1/50"), as in release.json.
"""
# long: a list of shapes without logic, one class a command; `Reply` at its end is what is published

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict

from ..document.document import Document
from ..privacy.loss import Loss

if TYPE_CHECKING:
    from ..releases.release import Release


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Reply(_Shape):
    ok: Literal[True] = True
    exit_code: ClassVar[int] = 0


class PlanLine(_Shape):
    """One question of a plan: its noise, its error bar and its price."""

    question: dict[str, Any]
    label: str
    cells: int
    noise: list[dict[str, str]]
    half_width: str
    divided_by_rows: bool
    price: dict[str, str]


class PlanReply(_Reply):
    """`discreet plan`: the price list; `fits` is null where no ledger was looked at.

    `meaning` is what the loss allows somebody to find out, `warnings` what is marked in it, `about`
    what the publisher says.
    """

    command: Literal["plan"] = "plan"
    title: str
    about: dict[str, Any]
    table: dict[str, Any]
    loss: dict[str, str]
    meaning: str
    warnings: list[str]
    forecast: list[str]
    alpha: str
    digest: str
    findings: list[dict[str, Any]]
    lines: list[PlanLine]
    left: dict[str, str] | None
    fits: bool | None
    nearest: dict[str, str] | None


class ReleaseReply(_Reply):
    """`discreet release`, `rehearse` and `heatmap`; `saved` is null where nothing was written.

    `account` says whose answer it is, and what was charged, where it was stored before.
    """

    command: Literal["release", "rehearse", "heatmap"]
    repeated: bool
    account: str
    saved: str | None
    left: dict[str, str] | None
    release: Document

    @classmethod
    def paid(
        cls, command: Literal["release", "heatmap"], done: "Release", place: Path, left: Loss
    ) -> Self:
        """Return the answer of a command that was paid for and has saved its release."""
        return cls(
            command=command,
            repeated=done.repeated,
            account=done.account,
            saved=str(place),
            left=left.plain(),
            release=done.document,
        )


class ShowReply(_Reply):
    """`discreet show`."""

    command: Literal["show"] = "show"
    release: Document


class TableReply(_Reply):
    """`discreet table`: one table of a release; of a key null is all of them."""

    command: Literal["table"] = "table"
    saved: str | None
    title: str
    columns: list[str]
    rows: list[list[bool | int | float | str | None]]
    notes: list[str]


class TableFitReply(_Shape):
    """How near synthetic rows are to a table that was measured."""

    columns: list[str]
    noise: str
    distance: str
    contrasts: bool
    fit: bool


class MicrodataReply(_Reply):
    """`discreet microdata`: where the rows are, how many, and how near they are to each table."""

    command: Literal["microdata"] = "microdata"
    saved: str | None
    title: str
    rows: int
    whole: bool
    tables: list[TableFitReply]


class AnnotateReply(_Reply):
    """`discreet annotate`: where words were put right, their hash, and how often they were."""

    command: Literal["annotate"] = "annotate"
    saved: str
    sha256: str
    changes: int


class RegistryReply(_Reply):
    """`discreet registry`: the record as YAML, and which fields only the publisher can fill."""

    command: Literal["registry"] = "registry"
    saved: str | None
    record: str
    blanks: list[str]


class VerifyReply(_Reply):
    """`discreet verify` and `discreet ledger verify`: what was checked and what was not."""

    command: Literal["verify", "ledger verify"]
    checks: list[str]
    unchecked: list[str]


class ChargeReply(_Shape):
    """One charge of a ledger; an open one has neither an answer nor a void, and stays spent."""

    seq: int
    when: str
    who: str
    why: str
    request: str
    loss: str
    state: Literal["answered", "open", "void"]


class LedgerReply(_Reply):
    """`discreet ledger init`, `show` and `void`: the account as it stands now."""

    command: Literal[
        "ledger init",
        "ledger show",
        "ledger void",
        "ledger restored",
        "ledger trust",
        "ledger anchor add",
    ]
    path: str
    id: str
    subject: str
    created: str
    budget: dict[str, str]
    spent: dict[str, str]
    left: dict[str, str]
    charges: list[ChargeReply]
    tight: dict[str, str] | None = None


class CleanedLine(_Shape):
    """One cleaned statistic: what was taken, and the expected errors a number."""

    label: str
    denoiser: str
    raw_error: float
    error: float
    words: str


class DenoiseReply(_Reply):
    """`discreet denoise`: the choices, and all numbers as the table that --out writes."""

    command: Literal["denoise"] = "denoise"
    saved: str | None
    statistics: list[CleanedLine]
    kept: list[str]
    notes: list[str]
    columns: list[str]
    rows: list[list[bool | int | float | str | None]]


class DeriveReply(_Reply):
    """`discreet derive`: how it is made of the release, and each answer: label, columns, rows."""

    command: Literal["derive"] = "derive"
    recipe: dict[str, Any]
    answers: list[dict[str, Any]]


class DraftReply(_Reply):
    """`discreet init`: the draft, and the names and types that it was made of."""

    command: Literal["init"] = "init"
    saved: str
    columns: dict[str, str]
    draft: str


class ExploreReply(_Reply):
    """`discreet explore`: where the page is; `left` is null where it does not say it."""

    command: Literal["explore"] = "explore"
    saved: str
    left: dict[str, str] | None


class DemoReply(_Reply):
    """`discreet demo`: for each data set, what was left at the end and what was written."""

    command: Literal["demo"] = "demo"
    folder: str
    left: dict[str, dict[str, str]]
    saved: list[str]


class NaiveLine(_Shape):
    """What a naive formula answers, null where it has no value, and why that differs."""

    formula: str
    answer: str | None
    why: str


class StepLine(_Shape):
    """The next smaller error, and the loss from which on, or the noise up to which, it is kept."""

    accuracy: int
    name: str
    value: str


class CalcReply(_Reply):
    """`discreet calc`; `naive` is null where no formula says anything else, `next` without one."""

    command: Literal["calc"] = "calc"
    wanted: str
    law: str
    answer: str
    convention: str
    meaning: str
    source: str
    next: StepLine | None
    naive: NaiveLine | None


class ChoiceLine(_Shape):
    """One law that keeps a budget; `deviation` is for show."""

    law: str
    noise: str
    error: str
    together: str
    deviation: float
    paid: str


class CompareReply(_Reply):
    """`discreet compare`: the laws, best first; `saved` is null where nothing was drawn."""

    command: Literal["compare"] = "compare"
    sensitivity: dict[str, str]
    budget: dict[str, str]
    alpha: str
    laws: list[ChoiceLine]
    why: str
    saved: str | None


class MeaningLine(_Shape):
    """What a cell means in a column; `value` is null where it is missing or no key."""

    cell: str
    column: str
    role: str
    value: str | None
    said: str


class CheckReply(_Reply):
    """`discreet check`: each cell in each column that is declared or read."""

    command: Literal["check"] = "check"
    cells: list[MeaningLine]


class ExpressionReply(_Reply):
    """`discreet expression`: what it gives, what it reads, and what each engine is told."""

    command: Literal["expression"] = "expression"
    expression: str
    gives: str
    reads: dict[str, str]
    queries: dict[str, str]


class SqlReply(_Reply):
    """`discreet sql`: the rows that count, the questions, their cost, and all as TOML."""

    command: Literal["sql"] = "sql"
    where: str | None
    questions: list[dict[str, Any]]
    cost: dict[str, str]
    toml: str


class ForecastReply(_Reply):
    """`discreet forecast`: of each unknown column, how many keys would show for the guess."""

    command: Literal["forecast"] = "forecast"
    forecasts: list[dict[str, Any]]


class AuditReply(_Shape):
    """`discreet audit`: what was checked and what was not; `fault` is null where none was found.

    `ok` is false, and `exit_code` 3, where one was.
    """

    ok: bool
    command: Literal["audit"] = "audit"
    exit_code: int
    claimed: str
    checks: list[dict[str, str]]
    unchecked: list[str]
    fault: dict[str, Any] | None
    seconds: float


class ExplainReply(_Reply):
    """`discreet explain`: the kinds of errors, or the one that was asked for with its text."""

    command: Literal["explain"] = "explain"
    kinds: list[str]
    chapter: str | None
    text: str | None


class Failure(_Shape):
    """Any command that failed: its class and kind, its three lines and its exit code."""

    ok: Literal[False] = False
    error: str
    kind: str
    exit_code: int
    what: str
    why: str
    fix: str


Saved = AnnotateReply | RegistryReply | ReleaseReply | DraftReply | DemoReply | ExploreReply
Numbers = (
    CalcReply | CompareReply | DenoiseReply | DeriveReply | CheckReply | TableReply | MicrodataReply
)
Texts = ExpressionReply | SqlReply | AuditReply | ExplainReply
Reply = Numbers | Texts | PlanReply | ForecastReply | ShowReply | VerifyReply | LedgerReply | Saved
