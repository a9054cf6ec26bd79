"""The floor of ``--help``: a Typer app of two commands."""

import typer

app = typer.Typer()


@app.command()
def hello(name: str) -> None:
    """Say hello."""
    print(f"hello {name}")


@app.command()
def bye(name: str, loud: bool = False) -> None:
    """Say goodbye."""
    print(f"bye {name}{'!' if loud else ''}")


app()
