"""`python -m kschedctl`."""

from importlib import import_module

try:
    main = import_module("kschedctl.commands.main")
except ModuleNotFoundError as error:
    if error.name != "kschedctl.commands":
        raise
    main = import_module("commands.main")  # a checkout that is not installed: the folder lies beside this one

if __name__ == "__main__":
    main.run()
