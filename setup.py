"""Where the packages lie: the verbs are a folder of their own here, and a part of `kschedctl` once installed."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["kschedctl*"]), "kschedctl.commands"],
    package_dir={"kschedctl.commands": "commands"},
)
