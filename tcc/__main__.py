"""`python -m tcc`."""

from tcc.cli.main import main

if __name__ == "__main__":
    main()
