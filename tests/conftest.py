"""Makes the modules beside this file importable from every test: `from coins import Tape`.

The keys of fingerprints that belong to no folder of data go to a folder of the test session, never
to the user's own; processes that a test starts inherit it.
"""

import os
import tempfile

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="discreet-tests-")
