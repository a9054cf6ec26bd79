"""Lines of the benchmark table: medians, ratios, budgets, and the order in which things are measured."""

from __future__ import annotations

from benchmarks.line import Line, figure, in_turns, machine, table


def test_a_line_with_a_floor_is_held_against_the_ratio_of_the_medians() -> None:
    line = Line("start", "ms", 2.0, (30.0, 90.0, 40.0), "pass", (20.0, 10.0, 21.0))
    assert (line.value, line.floor_value, line.ratio, line.passed) == (40.0, 20.0, 2.0, True)
    assert not Line("start", "ms", 1.9, (40.0,), "pass", (20.0,)).passed


def test_a_line_without_a_floor_is_held_against_its_median() -> None:
    line = Line("body", "B", 8192, (8192.0, 9000.0, 8000.0))
    assert (line.floor_value, line.ratio, line.passed) == (None, None, True)
    assert not Line("body", "B", 8192, (8193.0,)).passed


def test_both_sides_are_measured_in_turns_after_a_round_that_does_not_count() -> None:
    order: list[str] = []

    def side(name: str) -> float:
        order.append(name)
        return float(len(order))

    ones, others = in_turns(3, lambda: side("a"), lambda: side("b"))
    assert order == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert (ones, others) == ((4.0, 5.0, 8.0), (3.0, 6.0, 7.0))


def test_the_table_names_what_is_over_budget() -> None:
    lines = [Line("start", "ms", 2.0, (50.0,), "pass", (20.0,)), Line("body", "B", 8192, (6000.0,))]
    assert table(lines).splitlines()[2:] == [
        "| start | 50.0 ms | pass | 20.0 ms | 2.50 × | 2 × | OVER |",
        "| body | 6,000 B | – | – | – | 8,192 B | ok |",
    ]


def test_figures_have_the_digits_they_are_worth() -> None:
    assert [figure(value, "ms") for value in (1.234, 12.34, 1234.5)] == ["1.23 ms", "12.3 ms", "1,234 ms"]


def test_the_machine_is_told_without_its_name() -> None:
    assert set(machine()) == {"cpu", "cores", "memory_mib", "system", "python"}
