"""What is said of a table: words of the release, and not those of a driver's sockets."""

import warnings
from itertools import count

import pytest

from adversarial.planted import usual
from discreet.audit.audit import audit
from discreet.engine import memory


@pytest.mark.claim("C530")
@pytest.mark.parametrize("kind", [ResourceWarning, UserWarning])
def test_a_warning_of_sockets_is_no_word_of_a_release(kind, monkeypatch):
    """Each has another port; other warnings are shown to people, and so are compared."""
    honest, ports = memory.MemoryPrepared.count, count(40_000)

    def told(self, salt):
        warnings.warn(f"unclosed, port {next(ports)}", kind, stacklevel=1)
        return honest(self, salt)

    monkeypatch.setattr(memory.MemoryPrepared, "count", told)

    fault = audit(usual(), case="memory-2").fault

    assert (fault is None) == (kind is ResourceWarning)
    assert fault is None or fault.what == "what is said hangs on the unit"
