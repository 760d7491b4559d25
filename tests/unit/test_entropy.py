"""The coins: fresh, never repeated, never shared across a fork, never seeded."""

import copy
import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from discreet import entropy
from discreet.entropy import Coins, Keyed
from discreet.errors import EngineError, InputError

BLOCK = 32
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # forking is the point


def in_child(act):
    """Return what `act()` returns in a forked child, which has five seconds."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(5)
        try:
            os.write(write, act())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        out = pipe.read()
    os.waitpid(pid, 0)
    return out


def check_no_block_comes_twice(coins):
    """Parent, four children and a grandchild, each after a first draw, then 8 threads."""
    blocks = [coins.bytes(BLOCK)]
    blocks += [in_child(lambda: coins.bytes(BLOCK)) for _ in range(4)]
    family = in_child(lambda: coins.bytes(BLOCK) + in_child(lambda: coins.bytes(BLOCK)))
    blocks += [family[:BLOCK], family[BLOCK:], coins.bytes(BLOCK)]

    with ThreadPoolExecutor(8) as pool:
        blocks += pool.map(lambda _: coins.bytes(BLOCK), range(400))

    assert all(len(block) == BLOCK for block in blocks)
    assert len(set(blocks)) == len(blocks) == 408


@pytest.mark.slow
@pytest.mark.claim("C10")
def test_no_block_comes_twice_in_parents_children_and_threads():
    """No process and no thread ever gives a byte string that another one gave."""
    check_no_block_comes_twice(Coins())


@pytest.mark.slow
def test_coins_that_ignore_a_fork_are_caught():
    """The check has power: it refuses a stream that is copied with the process."""

    class Copied:
        def __init__(self):
            self.bytes = entropy._new_stream().cipher.update
            self.zeros = bytes(BLOCK)

    copied = Copied()
    update = copied.bytes
    copied.bytes = lambda n: update(bytes(n))

    with pytest.raises(AssertionError):
        check_no_block_comes_twice(copied)


def test_a_child_forked_while_a_thread_draws_does_not_wait_forever():
    """The child makes a stream and a lock of its own."""
    coins = Coins()

    with coins._stream.lock:
        out = in_child(lambda: coins.bytes(BLOCK))

    assert len(out) == BLOCK


def test_a_fork_that_keeps_the_process_id_is_seen():
    """In a new namespace a child may get its parent's pid; the count of forks differs."""
    coins = Coins()
    before = coins._stream

    entropy._count_fork()
    coins.bytes(1)

    assert coins._stream is not before


def test_the_stream_is_aes_256_in_counter_mode_of_what_the_system_gave(monkeypatch):
    """Published vector SP 800-38A F.5.5; no byte is skipped or given twice, whatever the sizes."""
    key = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
    counter = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
    monkeypatch.setattr(entropy.os, "urandom", lambda n: bytes.fromhex(key + counter))
    coins = Coins()
    sizes = [16, 0, 1, 7, 8, 300_000, 3]
    stream = Cipher(algorithms.AES(bytes.fromhex(key)), modes.CTR(bytes.fromhex(counter)))

    out = b"".join(coins.bytes(n) for n in sizes)

    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")
    masked = bytes(a ^ b for a, b in zip(plain, out[:16], strict=True))
    assert masked.hex() == "601ec313775789a5b7a7f504bbf3d228"
    assert out == stream.encryptor().update(bytes(sum(sizes)))


@pytest.mark.parametrize("fault", [OSError("no entropy"), NotImplementedError()], ids=str)
def test_no_system_randomness_means_no_coins(monkeypatch, fault):
    """A generator that cannot be keyed gives nothing."""

    def fails(n):
        raise fault

    coins = Coins()
    monkeypatch.setattr(entropy.os, "urandom", fails)

    with pytest.raises(EngineError):
        Coins()
    entropy._count_fork()
    with pytest.raises(EngineError):
        coins.bytes(1)


def test_a_short_read_means_no_coins(monkeypatch):
    """Fewer key bytes than asked for are not a key."""
    monkeypatch.setattr(entropy.os, "urandom", lambda n: bytes(n - 1))

    with pytest.raises(EngineError):
        Coins()


def test_coins_do_not_copy_pickle_or_print():
    """A second holder of the key, or a reader of a log, could undo the noise."""
    coins = Coins()

    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InputError):
            copying(coins)
    assert repr(coins) == str(coins) == f"{coins}" == "Coins()"


@pytest.mark.claim("C10")
def test_coins_take_no_seed():
    """There is no argument to give a key by."""
    with pytest.raises(TypeError):
        Coins(1)


def test_a_negative_count_of_bytes_is_refused():
    """It is an error of the caller, not an empty answer."""
    with pytest.raises(InputError):
        Coins().bytes(-1)


@pytest.mark.claim("C10")
def test_salts_are_fresh_and_have_62_bits():
    """400 salts differ, fill the range, and stay inside."""
    coins = Coins()
    salts = [coins.salt() for _ in range(400)]

    assert len(set(salts)) == 400
    assert all(0 <= salt < 1 << 62 for salt in salts)
    assert max(salts) >= 1 << 61  # fails with probability 2^-400


def check_named_streams(keyed):
    """A name's bytes stay, of two names, two secrets and two sides of a fork no block is alike."""
    again = keyed.stream(b"a")

    assert keyed.stream(b"a").bytes(200) == again.bytes(70) + again.bytes(130)

    blocks = [keyed.stream(name).bytes(BLOCK) for name in (b"a", b"b", b"", b"a\0", b"\0a")]
    started = keyed.stream(b"c")
    blocks.append(started.bytes(BLOCK))  # half of a block is left over
    blocks += [in_child(lambda: keyed.stream(b"a").bytes(BLOCK)) for _ in range(3)]
    blocks += [in_child(lambda: started.bytes(BLOCK)), started.bytes(BLOCK)]
    blocks += [Keyed().stream(b"a").bytes(BLOCK) for _ in range(20)]

    assert all(len(block) == BLOCK for block in blocks)
    assert len(set(blocks)) == len(blocks) == 31


@pytest.mark.claim("C67")
@pytest.mark.slow
def test_a_named_stream_is_its_names_alone_and_never_another_process():
    """Noise by name is settled by one secret, drawn before any name is known."""
    check_named_streams(Keyed())


@pytest.mark.slow
def test_named_streams_that_ignore_a_fork_are_caught(monkeypatch):
    """The check has power: a secret that is copied with the process is found."""
    monkeypatch.setattr(entropy, "_here", lambda: (0, 0))

    with pytest.raises(AssertionError):
        check_named_streams(Keyed())


def test_named_streams_show_nothing_and_cannot_be_copied():
    """Like coins: no text of one tells of its secret, and none goes to another process."""
    keyed = Keyed()

    assert (repr(keyed), repr(keyed.stream(b"secret name"))) == ("Keyed()", "NamedStream()")
    for one in (keyed, keyed.stream(b"a")):
        with pytest.raises(InputError):
            copy.copy(one)
        with pytest.raises(InputError):
            pickle.dumps(one)
    with pytest.raises(InputError):
        keyed.stream(b"a").bytes(-1)


def test_the_bits_of_named_streams_are_even():
    """20,000 names, the first 16 bytes of each: 2.56 million bits; 5.2 sigma, false once in 1e7."""
    keyed = Keyed()
    ones = sum(
        int.from_bytes(keyed.stream(b"%d" % n).bytes(16), "big").bit_count() for n in range(20_000)
    )

    assert abs(ones - 1_280_000) < 5.2 * 800


@pytest.mark.claim("C67")
def test_first_blocks_of_many_names_are_those_of_their_streams():
    """One by one or at once, and on the other side of a fork under another secret."""
    keyed, names = Keyed(), [b"a", b"", b"\0", b"x" * 300]
    blocks = keyed.blocks(b"act", names)

    assert blocks == b"".join(keyed.stream(b"act" + name).bytes(64) for name in names)
    child = in_child(lambda: keyed.blocks(b"act", names))
    assert len(child) == len(blocks)
    assert not {blocks[i : i + 64] for i in (0, 64)} & {child[i : i + 64] for i in (0, 64)}
    assert blocks == keyed.blocks(b"act", names)
