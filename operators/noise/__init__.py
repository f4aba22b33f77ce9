"""Random noise of images.

noise         the operators
random_bits   64 random bits for each element, the same on both devices; events makes numbers of a
              Poisson distribution of them
"""
