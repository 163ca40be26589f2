"""Prints what TensorBoard's reader finds in the subfolders of a folder: python read.py FOLDER"""

import os
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams.metadata import parse_experiment_plugin_data, parse_session_start_info_plugin_data

for folder in ["a", "b", "b/curves_of_sin", "b/run", "c/run"]:
    acc = EventAccumulator(os.path.join(sys.argv[1], folder), size_guidance={"histograms": 0, "images": 0})
    acc.Reload()
    print(folder)
    tags = acc.Tags()
    for tag in sorted(tags["scalars"]):
        print(" scalar", tag, [(e.step, e.value) for e in acc.Scalars(tag)])
    for tag in sorted(tags["tensors"]):
        print(" tensor", tag,
              [(e.step, *e.tensor_proto.string_val, *e.tensor_proto.float_val, *e.tensor_proto.double_val)
               for e in acc.Tensors(tag)])
    for tag in sorted(tags["histograms"]):
        h = acc.Histograms(tag)[0].histogram_value
        print(" histogram", tag, h.num, len(h.bucket), sum(h.bucket))
    for tag in sorted(tags["images"]):
        i = acc.Images(tag)[0]
        print(" image", tag, i.width, i.height, i.encoded_image_string[1:4])
    try:
        content = acc.SummaryMetadata("_hparams_/experiment").plugin_data.content
        start = acc.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    except KeyError:
        continue
    for info in parse_experiment_plugin_data(content).hparam_infos:
        print(" hparam", info.name, info.type)
    for name, value in sorted(parse_session_start_info_plugin_data(start).hparams.items()):
        print(" value", name, str(value).strip())
