"""Specs: what the model is told of each tool, apart from what runs it, so that a first request needs no more."""

from __future__ import annotations

from agentmem.domain.category import CATEGORIES
from agentmem.domain.prompt import ToolSpec

READ = ToolSpec(
    "read",
    "Read a text file: lines as number, tab, text; at most 2000 lines or 50 KB. offset: first line; limit: "
    "lines; column: byte of that line to start at.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer"},
            "limit": {"type": "integer"},
            "column": {"type": "integer"},
        },
        "required": ["path"],
    },
)

WRITE = ToolSpec(
    "write",
    "Write a whole file; parent directories are made. An existing file must have been read first; to change part of it "
    "use edit.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
)

EDIT = ToolSpec(
    "edit",
    "Replace exact text in a file. Each old must occur once (all: replace every occurrence), copied exactly, without "
    "line numbers. Edits apply to the original file, all or none.",
    {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "old": {"type": "string"},
                        "new": {"type": "string"},
                        "all": {"type": "boolean"},
                    },
                    "required": ["old", "new"],
                },
            },
        },
        "required": ["path", "edits"],
    },
)

BASH = ToolSpec(
    "bash",
    "Run a bash command in the project. Each call is a new shell: no stdin, no terminal, `cd` does not last. Long "
    "output is cut in the middle and kept in a file. What is left in the background with & lives on; send its output "
    "to a file.",
    {
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "timeout": {"type": "number", "description": "seconds; default 120, at most 600"},
        },
        "required": ["command"],
    },
)

GREP = ToolSpec(
    "grep",
    "Search file contents with a Python regular expression, line by line. Skips .git, binary files and what .gitignore "
    "leaves out. Shows 100 matching lines.",
    {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "file or directory"},
            "glob": {"type": "string", "description": "files to search, e.g. *.py or src/**/*.ts"},
            "literal": {"type": "boolean", "description": "pattern is plain text"},
            "ignore_case": {"type": "boolean"},
            "context": {"type": "integer", "description": "lines around a match", "minimum": 0, "maximum": 10},
            "ignored": {"type": "boolean", "description": "also ignored files"},
        },
        "required": ["pattern"],
    },
)

FIND = ToolSpec(
    "find",
    "Find files and directories by a glob over their path: *.py at any depth, src/**/test_*, ./*.md in the top only, "
    "{a,b}. Directories end in /. Skips .git and what .gitignore leaves out. Shows 1,000 paths.",
    {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "directory"},
            "ignored": {"type": "boolean", "description": "also ignored files"},
        },
        "required": ["pattern"],
    },
)

LS = ToolSpec(
    "ls",
    "List a directory, hidden entries too: name/ is a directory, name -> x a link. At most 500 entries; "
    "offset shows the next.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "offset": {"type": "integer"}},
    },
)

REMEMBER = ToolSpec(
    "remember",
    "Propose one thing to keep for later sessions, in one sentence and in the person's own words. "
    "What the person said is kept at once; anything else waits until the person approves it.",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "One self-contained sentence, at most 1,000 characters."},
            "category": {"type": "string", "enum": list(CATEGORIES)},
            "entry": {"type": "string", "description": "Where it was said, if you know."},
            "quote": {"type": "string", "description": "The words it is taken from."},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
)

FORGET = ToolSpec(
    "forget",
    "When the person wants something forgotten: have a fact (by its id), or words as they stand there, removed from "
    "all that is kept. The person is shown where they stand and asked; it cannot be taken back.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "the id, or the exact words"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)

VERIFY = ToolSpec(
    "verify",
    "Have a feature of .agent/handoff/features.json verified: the harness runs its check and sets `passes` by what it "
    "sees. Nothing else does, and the list is not yours to edit.",
    {
        "type": "object",
        "properties": {"feature": {"type": "string", "description": "its id"}},
        "required": ["feature"],
    },
)

TASK = ToolSpec(
    "task",
    "Give a task to a fresh session with the same tools. It sees nothing of this talk; only its last answer comes "
    "back. For searches whose reading would fill this talk.",
    {
        "type": "object",
        "properties": {"prompt": {"type": "string", "description": "all it needs to know"}},
        "required": ["prompt"],
    },
)

SKILL = ToolSpec(
    "skill",
    "Get a skill by the name on its card: how to do this kind of work. It follows the result. draft: path of a "
    "SKILL.md to propose as this skill instead; it waits for the person.",
    {
        "type": "object",
        "properties": {"name": {"type": "string"}, "arguments": {"type": "string"}, "draft": {"type": "string"}},
        "required": ["name"],
    },
)

COMPACT = ToolSpec(
    "compact",
    "Make room in your window now: old results become one line, old steps a summary; all stays in the session's log. "
    "For the end of a piece of work, or when you are told of memory pressure.",
    {
        "type": "object",
        "properties": {"keep": {"type": "string", "description": "what the summary must keep"}},
    },
)

TO_DO = ToolSpec(
    "todo",
    "Keep a list for work of several steps; each call gives the whole list. You are shown it again as you go on, and "
    "it is never compacted away.",
    {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string"},
                        "state": {"type": "string", "enum": ["open", "doing", "done"]},
                    },
                    "required": ["text"],
                },
            },
        },
        "required": ["items"],
    },
)
