"""The result of an audit: what was checked, what was not, and a fault."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: its layer, and what was seen."""

    layer: str
    words: str


@dataclass(frozen=True, slots=True)
class AuditFault:
    """Something that must not be: in which layer, what, and how to see it again.

    Attributes:
        layer, what: where, and what is wrong.
        case: what `--case` takes; "" where no pair of tables shows it.
        before, after: the rows of the smallest pair that was found, table by table.
        sure: whether it is certain, or may be chance once in a million times.
    """

    layer: str
    what: str
    case: str = ""
    before: tuple[tuple[str, ...], ...] = ()
    after: tuple[tuple[str, ...], ...] = ()
    sure: bool = True


@dataclass(slots=True)
class Audit:
    """The result of an audit."""

    claimed: str
    checks: list[Check] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    fault: AuditFault | None = None
    seconds: float = 0.0


class Stop(Exception):  # noqa: N818 - it is no error, and leaves `audit` nowhere
    """Ends an audit, because it has found a fault."""

    def __init__(self, fault: AuditFault) -> None:
        super().__init__(fault.what)
        self.fault = fault
