"""The verbs of the command line: options, one engine call, a renderer, an exit code."""
