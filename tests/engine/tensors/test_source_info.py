import pickle

import numpy as np

from penstock.engine.tensors.host_tensors import TensorListCPU
from penstock.engine.tensors.source_info import CommonNames, NamesOnDemand, inherited, joined


def test_names_follow_their_numbers():
    numbers = np.array([3, 1, 2])
    names = NamesOnDemand("sample {}".format, numbers)
    numbers[1] = 5
    assert list(names) == ["sample 3", "sample 5", "sample 2"]
    assert list(names[1:]) == ["sample 5", "sample 2"]


def test_inputs_with_one_origin_pass_their_names_on_without_a_copy():
    names = ["a", "b"]
    assert inherited([]) is inherited([None]) is None
    assert inherited([names, None, names]) is names


def test_names_that_differ_for_one_sample_are_none_for_the_batch():
    names = inherited([["a", "", "c"], ["a", "b", "d"]])
    assert isinstance(names, CommonNames)
    assert (len(names), list(names)) == (3, ["", "", ""])
    assert list(names[:2]) == ["a", "b"]  # the batch of a group, whose samples agree


def test_joined_names_leave_out_samples_without_a_name():
    assert list(joined(lambda row: [["a", "", "b"], [""]][row], 2)) == ["a;b", ""]


def test_samples_of_a_batch_are_named_when_they_are_asked():
    asked = []

    def name(number):
        asked.append(number)
        return f"sample {number}"

    batch = TensorListCPU(np.zeros((3, 2)), "W").with_source_info(
        NamesOnDemand(name, np.array([4, 5, 6]))
    )
    samples = list(batch)
    assert asked == []
    assert samples[1].source_info() == samples[1].get_property("source_info") == "sample 5"
    assert asked == [5, 5]
    assert TensorListCPU(samples).source_info() == ["sample 4", "sample 5", "sample 6"]
    assert pickle.loads(pickle.dumps(samples[2])).source_info() == "sample 6"
