from __future__ import annotations

import time

import pytest
from histories import user

from agentmem.memory.write.extract import claims
from agentmem.memory.write.lasting import lasting

LASTS = """
we deploy from main
We use pnpm, not npm
we always squash before merging
we never merge while CI is running
I always sign my commits
we don't use Redis any more
we only support Python 3.11
I prefer tabs
I prefer 2 spaces over 4
I'd prefer short answers
I generally prefer composition over inheritance
I hate trailing whitespace
I dislike long functions
I like my answers short
we prefer pytest to unittest
never touch migrations/
Never ever push to main
never force-push
never directly edit generated files
never deploy on Friday
never work on main
always run make lint first
always check that the tests are passing before a commit
always fail fast
always set the timezone
always press save
Always embed the fonts
always focus on the public API
call me Ana
Call me Ana Lima, please.
our CI runs on Debian
our docs live in docs/
our tests use factories
our port is 8080
our request timeout is 30 seconds
our logs are in /var/log/shop
our team follows trunk-based development
my name is Ana
my name is ana
My timezone is CET.
my shell is fish
my editor is vim
our default branch is develop
our database is postgres
our database is hosted on RDS
our API is versioned by date
our style guide is Google's
our release cadence is weekly
our test runner is pytest
our package manager is `uv`
my laptop is a ThinkPad
my pronouns are they/them
our tickets are in Jira
our error codes are documented in docs/errors.md
my favourite language is Rust
our staging URL is https://staging.example.org
our deploy target is eu-west-1
my working hours are 9 to 5
this project uses Python 3.12
This repo requires Node 20
the service runs on port 8080
In this repo, use tabs.
in this project we use tabs
by default all endpoints need auth
By convention, tests end in _test
from now on, answer in German
we decided to keep sessions in Redis
we've settled on trunk-based development
we moved to Bazel
we switched from npm to pnpm
we're going with Postgres
I've decided to use SQLite for tests
we agreed on two reviewers
"""

PASSES = """
my test is failing
my tests are red
our build is failing again
our CI is red
our CI is running
the build is broken right now
my build is broken
my database is corrupted
our API is unreachable
my editor is laggy
my laptop is on fire
my laptop is slow
our registry is down
my branch is behind main
my branch is based on main
my change is in src/app.py
my code is on line 40
my question is about the cache
my goal is to get this merged
my plan is a refactoring
my next step is the parser
our old rule is tabs
my first idea is a queue
I prefer option 2
I prefer option B
I prefer B
I prefer #2
I prefer the second
I prefer the first one
I prefer the simpler version
I prefer the approach with the queue
I prefer this
I prefer that one
I prefer your suggestion
I prefer both
I'd prefer you look at the parser
I prefer to see the diff first
I like your idea
I love it
I love that
I love this approach
I love the way you did it
I'd love to see the diff
I hate this bug
I love Fridays!
we use option 2
we use the first one
we use this in the parser
we went with the latter
we agreed to go with plan B
I've decided to go with option 2
I decided to stop here
I chose the second variant
I switched to the other branch
I'm on the train
I'm in a meeting
we are debugging the parser
we keep getting timeouts
I keep forgetting the flag
I want you to look at X first
I need you to fix the parser
let's use the first one
we use sqlite for now
we currently use npm
we deploy today
we deploy on Friday
we deploy tomorrow
we release next week
we use npm until Friday
we always run into timeouts
I always forget the flag
I never understand regexes
never mind
Never again
never saw this before
never seen such a thing
Always happy to help
always a pleasure
always fails on CI
never works for me
always returns null
never had this problem
call me later
call me when the build is green
call me back
this service runs out of memory
our app runs slowly
I follow you
I support that
in this repo there is a bug
In this project the tests fail
I write the test, you write the code
step 3 is done
we use the code below
we use line 40
my server is at 100% CPU
my disk is 95% full
our coverage is 80
my terminal is frozen
our staging is down
my PR is ready
our deploy is in progress
my file is called foo.py
our prod is on v2.3 now
my manager is on vacation
we support both
I prefer yours
I prefer not to
we decided to take a break
we agreed to talk tomorrow
we agreed to postpone the release
always open to suggestions
Always English!
always greater than zero
always present
always set to null
never re-uses the cache
Always learning
call me stupid
this repo uses too much memory
By default the popup is red
we use it, as he says
my deadline is Friday
our demo is in 10 minutes
my hunch is the cache
we agreed to disagree
we deploy in five minutes
I follow your lead
I support the idea
my favorite part is the ending
I prefer waiting for the review
I use my own branch
"""


@pytest.mark.parametrize("said", LASTS.strip().split("\n"))
def test_what_is_to_hold_beyond_the_task_is_told_by_its_form(said: str) -> None:
    assert lasting(said)
    assert [claim.quote for claim in claims([user(said)])] == [said]


@pytest.mark.parametrize("said", PASSES.strip().split("\n"))
def test_what_belongs_to_the_task_at_hand_is_left_alone(said: str) -> None:
    assert not lasting(said)
    assert claims([user(said)]) == []
    assert claims([user(said[0].upper() + said[1:] + ".")]) == []


@pytest.mark.parametrize(
    "piece", ["my a ", "always very", "we 've ", "is now ", "the first ", "I prefer ", "never ever "]
)
def test_hostile_text_takes_no_time(piece: str) -> None:
    begun = time.process_time()
    lasting((piece * 1000)[:1000])
    assert time.process_time() - begun < 1
