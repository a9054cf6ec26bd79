"""Resume a session and make its next prompt: ``resumed.py ROOT SESSION`` prints milliseconds and messages."""

import sys
import time
from pathlib import Path

from agentmem.domain.clock import Clock
from agentmem.domain.places import Places
from agentmem.memory.memory import resume_session

root = Path(sys.argv[1])
places = Places(root, root, root / "home", root / ".agent")
begun = time.perf_counter()
session = resume_session(places, Clock(), sys.argv[2])
session.begin_epoch((), 200_000)
messages = session.prompt().messages
took = time.perf_counter() - begun
session.close()
print(took * 1000, len(messages))
