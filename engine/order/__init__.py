"""The samples of each batch, and every random number: pure functions of a sample's position.

selection            the samples of one batch
order                what all orders have: a batch's samples, and the state after it
sampler              order, shards, padding: which samples batch k of a shard holds
cursor               the same for orders in which ranks read on from where all of them stand
rounds               the same for samples of similar length, of one class on all ranks

epoch_order          the sample at each position of an epoch of a sampler
dealt                the plan of a cursor for a reader of one source
mixture              its plan for several sources, in shares
shares               how many samples of each source an epoch has
interleaving         the turns of sources, or of classes, evenly spread
length_classes       the classes of rounds, and how many samples a batch of each has
packs                samples packed into rows of a fixed length
subset               the samples that an order is made of, if not all

state                what a checkpoint holds of any order, and its checks
sampler_state        the remaining positions of epochs in progress
mixture_state        where a mixture stands
checkpoint           the state of a whole pipeline as a short text

permutation          a shuffle that is computed, not stored
block_permutation    a computed shuffle for storage that reads neighboring samples fast
shard_permutation    a computed shuffle of whole shards
philox               random numbers keyed by seed, operator, epoch and position
"""
