"""What families of operators share.

batch_arguments   numbers, memory and errors of a batch; number_arguments: single numbers
whole_batches     the work on a batch at once
opencv_images     images as OpenCV takes them
"""
