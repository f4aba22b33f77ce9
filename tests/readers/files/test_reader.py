from penstock import fn, pipeline_def


def test_the_seed_of_the_order_has_an_older_name(photo_tree):
    def order(**seed):
        def define():
            return fn.readers.file(files=photo_tree.files, shuffle_after_epoch=True, **seed)

        with pipeline_def(define, batch_size=16, num_threads=1)() as pipe:
            return pipe.run()[0].source_info()

    assert order(shuffle_after_epoch_seed=3) == order(shuffle_seed=3) != order()
