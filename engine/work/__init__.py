"""The work on a batch, apart from the threads that do the work.

plan            from a graph to segments, each of one type
plans           the plans of one pipeline, one for each combination of layouts
batch           one batch and its results so far, and the steps of operators on whole batches
batch_state     what a batch holds: its samples, the errors of its rows, what waits for the device
own_inputs      copies of inputs for operators that may change them
chain           sample operators: one sample goes through all operators of a segment
frames          sample operators at work on sequences, frame by frame
inner_batches   batches that consist of samples of another batch
frame_batches   operators of whole batches at work on the frames of all samples
faults          the policy for samples that fail
quarantine      the log of bad samples
figures         the figures of a pipeline: plain data
memory_figures  how much memory the results of operators take
limit           which limit the figures show, and what would lift it
stats           where the time goes
"""
