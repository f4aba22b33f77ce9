"""The decoders: NumPy for the samples of WAV as they are, libsndfile for everything else."""
