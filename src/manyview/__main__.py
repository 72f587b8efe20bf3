"""``python -m manyview`` is the command line."""

from manyview.cli import main

if __name__ == "__main__":
    main()
