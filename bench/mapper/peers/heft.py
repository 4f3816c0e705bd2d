#!/usr/bin/env python3
"""HEFT (Topcuoglu, Hariri and Wu, TPDS 13, 2002) in plain Python, as a peer for speed.

    heft.py TASKS.json DEVICES BYTES_PER_SECOND

Reads a streammap.tasks/1 file whose tasks give "seconds": {"*": t}, and maps it on that many equal devices,
every pair of them linked at that bandwidth without contention. Prints the makespan and the CPU seconds of the
mapping, reading apart. Upward ranks, then for every task every device, with insertion: as the paper says.
"""
import bisect
import json
import sys
import time


def upward_ranks(seconds, successors, order):
    rank = [0.0] * len(seconds)
    for task in reversed(order):
        longest = 0.0
        for to, transfer in successors[task]:
            longest = max(longest, transfer + rank[to])
        rank[task] = seconds[task] + longest
    return rank


def topological(predecessors, successors):
    waiting = [len(p) for p in predecessors]
    ready = [t for t, count in enumerate(waiting) if count == 0]
    for task in ready:
        for to, _ in successors[task]:
            waiting[to] -= 1
            if waiting[to] == 0:
                ready.append(to)
    return ready


def first_gap(busy, ready, length):
    """busy: (end, start) of one device, ascending."""
    start = ready
    for end, begin in busy[bisect.bisect_right(busy, (ready, float("inf"))):]:
        if begin >= start + length:
            break
        start = max(start, end)
    return start


def heft(seconds, predecessors, successors, devices):
    # A mean over all ordered pairs of different devices; the transfer's time is the same for each.
    rank = upward_ranks(seconds, successors, topological(predecessors, successors))
    busy = [[] for _ in range(devices)]
    device_of, end_of = [0] * len(seconds), [0.0] * len(seconds)
    for task in sorted(range(len(seconds)), key=lambda t: (-rank[t], t)):
        best = None
        for device in range(devices):
            ready = 0.0
            for before, transfer in predecessors[task]:
                arrival = end_of[before] + (0.0 if device_of[before] == device else transfer)
                ready = max(ready, arrival)
            end = first_gap(busy[device], ready, seconds[task]) + seconds[task]
            if best is None or end < best[0]:
                best = (end, device)
        end_of[task], device_of[task] = best
        bisect.insort(busy[best[1]], (best[0], best[0] - seconds[task]))
    return max(end_of, default=0.0)


def main():
    graph = json.load(open(sys.argv[1]))
    devices, bandwidth = int(sys.argv[2]), float(sys.argv[3])
    number = {task["id"]: i for i, task in enumerate(graph["tasks"])}
    seconds = [task["seconds"]["*"] for task in graph["tasks"]]
    predecessors = [[] for _ in seconds]
    successors = [[] for _ in seconds]
    for dependency in graph["dependencies"]:
        a, b = number[dependency["from"]], number[dependency["to"]]
        transfer = dependency.get("bytes", 0) / bandwidth
        successors[a].append((b, transfer))
        predecessors[b].append((a, transfer))
    start = time.process_time()
    makespan = heft(seconds, predecessors, successors, devices)
    print(f"{makespan:.9g} {time.process_time() - start:.6g}")


if __name__ == "__main__":
    main()
