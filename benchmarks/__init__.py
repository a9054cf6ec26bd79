"""What is measured, one command each: ``python -m benchmarks.NAME [--json] [--runs N]``; ``make bench`` runs them all.

Every figure is held against a floor that is measured in the same run, on the same machine, in turns with it; budgets
are ratios, so that they mean the same on a slow machine. What is started is the installed command, a whole process.
"""
