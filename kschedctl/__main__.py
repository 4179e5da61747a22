"""`python -m kschedctl`."""

from commands.main import run

if __name__ == "__main__":
    run()
