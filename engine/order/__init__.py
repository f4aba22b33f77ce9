"""The samples of each batch, and every random number: pure functions of a sample's position.

selection            the samples of one batch
sampler              order, shards, padding: which samples batch k of a shard holds
cursor               the same for orders in which ranks read on from where all of them stand
dealt                the plan of a reader of one source, if its global batch is held
mixture              the plan of such an order: samples of several sources, in shares
mixture_state        where a mixture stands, as a checkpoint stores it
shares               how many samples of each source an epoch has
interleaving         the turns of the sources, evenly spread
rounds               batches of samples of similar length, of one class on all ranks
length_classes       the classes, and how many samples a batch of each has
packs                samples packed into rows of a fixed length
subset               the samples that an order is made of, if not all
sampler_state        the remaining positions of epochs in progress, as a checkpoint stores them
permutation          a shuffle that is computed, not stored
block_permutation    a computed shuffle for storage that reads neighboring samples fast
shard_permutation    a computed shuffle of whole shards
philox               random numbers keyed by seed, operator, epoch and position
checkpoint           the state of a whole pipeline as a short text
"""
