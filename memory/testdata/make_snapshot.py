"""Writes a memory snapshot as torch.cuda.memory._dump_snapshot does, in every
pickle protocol and as JSON, and checks the snapshot that the Go test wrote.

    python make_snapshot.py
    UPDATE_GOLDEN=1 go test ./memory -run TestPickleIsPythons
    python make_snapshot.py     # now compares snapshot_go.pickle
"""

import json
import os
import pickle

here = os.path.dirname(os.path.abspath(__file__))

main = [
    {"name": "forward", "filename": "/home/user/model.py", "line": 17},
    {"name": "<module>", "filename": "/home/user/train.py", "line": 40},
]
backward = [{"name": "_engine_run_backward", "filename": "/lib/torch/autograd/graph.py", "line": 865}]
forward = ['  File "/home/user/train.py", line 40, in <module>\n',
           '  File "/home/user/model.py", line 17, in forward\n']
base = 0x7F0A40000000

snapshot = {
    "segments": [
        {
            "device": 0, "address": base, "total_size": 2097152, "allocated_size": 1536,
            "active_size": 2048, "requested_size": 1400, "stream": 0, "segment_type": "small",
            "segment_pool_id": (0, 0), "is_expandable": False, "frames": main,
            "blocks": [
                {"address": base, "size": 1536, "requested_size": 1400, "state": "active_allocated", "frames": main},
                {"address": base + 1536, "size": 512, "requested_size": 500, "state": "active_pending_free",
                 "frames": backward, "forward_frames": forward},
                {"address": base + 2048, "size": 2095104, "requested_size": 0, "state": "inactive", "frames": []},
            ],
        },
        {
            "device": 1, "address": 0xFFFF800000000000, "total_size": 1 << 33, "allocated_size": 0,
            "active_size": 0, "requested_size": 0, "stream": 94012345678912, "segment_type": "large",
            "segment_pool_id": (0, 3), "is_expandable": True, "frames": [],
            "blocks": [{"address": 0xFFFF800000000000, "size": 1 << 33, "requested_size": 0, "state": "inactive",
                        "frames": []}],
        },
    ],
    "device_traces": [
        [
            {"action": "segment_alloc", "addr": base, "size": 2097152, "stream": 0, "time_us": 1700000000000001,
             "compile_context": "N/A", "user_metadata": "", "frames": main},
            {"action": "oom", "device_free": 123456, "size": 1 << 40, "stream": 0, "time_us": 1700000000000002,
             "compile_context": "N/A", "user_metadata": "step 3 é 世界", "frames": backward,
             "forward_frames": forward},
        ]
        + [
            {"action": "alloc" if i % 2 == 0 else "free_completed", "addr": base + 512 * (i // 2), "size": 400 + i // 2,
             "stream": 0, "time_us": 1700000000001000 + i, "compile_context": "N/A", "user_metadata": "",
             "frames": main if i % 3 else backward}
            for i in range(1050)
        ],
        [],
    ],
    "allocator_settings": {
        "PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.0,
        "expandable_segments": False, "pinned_num_register_threads": 1, "release_lock_on_malloc": True,
        "roundup_power2_divisions": {"1": 0, "1024": 2, ">": 4},
    },
    "external_annotations": [
        {"name": "step", "stage": "START", "device": 0, "time_us": 1700000000000000},
        {"name": "step", "stage": "END", "device": 0, "time_us": 1700000000009000},
    ],
}


def path(name):
    return os.path.join(here, name)


for protocol in (0, 1, 2, 4, 5):
    with open(path(f"snapshot_p{protocol}.pickle"), "wb") as f:
        pickle.dump(snapshot, f, protocol=protocol)
with open(path("snapshot.json"), "w") as f:
    json.dump(snapshot, f)

if os.path.exists(path("snapshot_go.pickle")):
    with open(path("snapshot_go.pickle"), "rb") as f:
        back = pickle.load(f)
    assert back == snapshot, "snapshot_go.pickle differs"
    print("snapshot_go.pickle is equal")
