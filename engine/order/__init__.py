"""The samples of each batch, and every random number: pure functions of a sample's position.

selection            the samples of one batch
sampler              order, shards, padding: which samples batch k of a shard holds
sampler_state        the remaining positions of epochs in progress, as a checkpoint stores them
permutation          a shuffle that is computed, not stored
block_permutation    a computed shuffle for storage that reads neighboring samples fast
shard_permutation    a computed shuffle of whole shards
philox               random numbers keyed by seed, operator, epoch and position
checkpoint           the state of a whole pipeline as a short text
"""
