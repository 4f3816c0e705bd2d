"""Maps, runs and compares the traffic patterns of bench/network/network, which calls this inside its network."""
import argparse
import json
import statistics
import subprocess

# Pairs of nodes that a pattern's transfers go between, in turn. n1 and n2 are under one leaf, n3 and n4 under the other.
PATTERNS = [
    ("one pair, one leaf", ["n1>n2"]),
    ("one pair, across", ["n1>n3"]),
    ("two pairs, a leaf each", ["n1>n2", "n3>n4"]),
    ("two pairs, one uplink", ["n1>n3", "n2>n4"]),
    ("two senders, one receiver", ["n1>n3", "n2>n3"]),
    ("one sender, two receivers", ["n1>n3", "n1>n4"]),
    ("there and back", ["n1>n3", "n3>n1"]),
    ("three flows, one uplink", ["n1>n3", "n2>n4", "n2>n3"]),
]
BUFFERS_PER_PAIR = 2
FLOATS = 2 << 20  # 8 MiB a buffer

# A full Ethernet frame carries 1448 bytes of data in 1514 (14 of Ethernet, 20 of IP, 32 of TCP with time stamps), and the
# token bucket counts whole frames.
PAYLOAD = 1448 / 1514


def cluster(rate_mbit, model):
    rate = rate_mbit * 1e6 / 8 * PAYLOAD
    link = {"bandwidth_bytes_per_second": rate}
    return {
        "schema": "streammap.cluster/1",
        "node_types": {"node": {"gpus": {"model": "T4", "count": 1}, "nics": {"count": 1, **link}}},
        "nodes": [{"names": "n[1-2]", "type": "node", "switch": "leaf1"}, {"names": "n[3-4]", "type": "node", "switch": "leaf2"}],
        "network": {
            "latency": "100us",
            "model": model,
            "switches": [
                {"name": "leaf1", "uplinks": [{"to": "spine", **link}]},
                {"name": "leaf2", "uplinks": [{"to": "spine", **link}]},
                {"name": "spine"},
            ],
        },
    }


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def predicted(options, tasks, model):
    """The placement's file, and the time from the first transfer's start to the last one's end."""
    cluster_file, placement_file = f"{options.work}/{model}.json", f"{options.work}/{model}.placement.json"
    json.dump(cluster(options.rate, model), open(cluster_file, "w"))
    run(options.streammap, "map", tasks, "--cluster", cluster_file, "--strategy", "heft", "-q", "-o", placement_file)
    moved = [t for t in json.load(open(placement_file))["transfers"] if t["bytes"] >= FLOATS * 4]
    return placement_file, max(t["end_seconds"] for t in moved) - min(t["start_seconds"] for t in moved)


def measured(options, placement, buffers):
    """From the first message's start at a sender to the last one's end at a receiver."""
    trace_file = f"{options.work}/trace.json"
    out = run(options.enter, "n1", f"{options.streammap} run {options.work}/transfers --placement {placement} --launcher mpirun "
              f"--on-nodes --timeout 60 --trace {trace_file} -- {buffers} {FLOATS}")
    if "verified" not in out:
        raise SystemExit(f"the program's results are wrong: {out}")
    trace = json.load(open(trace_file))
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    large = [e for e in events if e.get("cat") == "transfer" and e["args"]["bytes"] >= FLOATS * 4]
    sent = [e for e in large if e["args"]["path"].startswith("to rank")]
    received = [e for e in large if e["args"]["path"].startswith("from rank")]
    if len(sent) != buffers or len(received) != buffers:
        raise SystemExit(f"expected {buffers} messages, found {len(sent)} sent and {len(received)} received")
    return (max(e["ts"] + e["dur"] for e in received) - min(e["ts"] for e in sent)) * 1e-6


def pattern(options, pairs):
    buffers = BUFFERS_PER_PAIR * len(pairs)
    tasks_file = f"{options.work}/tasks.json"
    run(options.streammap, "annotate", options.source, "-o", tasks_file, "--arg", str(buffers), "--arg", str(FLOATS))
    tasks = json.load(open(tasks_file))
    # Nodes the pattern leaves out get no task, hence no rank.
    for task in tasks["tasks"]:
        kind, number = task["name"].rstrip("]").split("[")
        sender, receiver = pairs[int(number) % len(pairs)].split(">")
        task["constraints"] = {"node": sender if kind == "fill" else receiver}
    json.dump(tasks, open(tasks_file, "w"))
    placement, contended = predicted(options, tasks_file, "contended")
    _, uncontended = predicted(options, tasks_file, "uncontended")
    real = statistics.median(measured(options, placement, buffers) for _ in range(options.repeat))
    return buffers * FLOATS * 4 / 2**20, contended, uncontended, real


def main():
    parser = argparse.ArgumentParser()
    for name in ("streammap", "work", "source", "enter"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--rate", type=int, required=True)
    parser.add_argument("--repeat", type=int, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(f"links of {options.rate} Mbit/s, {FLOATS * 4 >> 20} MiB a transfer, median of {options.repeat} runs")
    print(f"{'traffic':27}{'MiB':>5}{'measured':>10}{'predicted':>11}{'error':>9}{'no contention':>15}{'error':>9}")
    errors = []
    for name, pairs in PATTERNS:
        if options.only not in name:
            continue
        mebibytes, contended, uncontended, real = pattern(options, pairs)
        errors.append(abs(contended / real - 1))
        print(f"{name:27}{mebibytes:5.0f}{real:8.3f} s{contended:9.3f} s{100 * (contended / real - 1):+7.1f} %"
              f"{uncontended:13.3f} s{100 * (uncontended / real - 1):+7.1f} %", flush=True)
    print(f"error of the prediction: mean {100 * statistics.mean(errors):.1f} %, largest {100 * max(errors):.1f} %")


main()
