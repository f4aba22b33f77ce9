"""The command line `penstock`: `main` runs a command, and each command has a file."""
