"""The workers that run sample segments.

choice      which workers suit the work
turns       the turns of batches that wait for a worker
threads     workers that are threads
processes   workers that are processes, with one driving thread each
workers     the workers of one pipeline, replaced as the choice says
"""
