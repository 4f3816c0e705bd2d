#!/usr/bin/env python3
"""Whether two task graphs of one program say the same: that of annotate and that of a recorded run.

    compare-graphs.py annotated.tasks.json recorded.tasks.json

Compared are names, sites, launches, sections and constraints of all tasks, and all dependencies. Not compared are the
names of buffers and what only annotate knows: costs and resources.
"""
import json
import os
import sys


def load(path):
    with open(path) as file:
        graph = json.load(file)
    kernels = {kernel["id"]: kernel["symbol"] for kernel in graph.get("kernels", [])}
    names = {task["id"]: task["name"] for task in graph["tasks"]}
    buffers = {}

    def task(entry):
        return {
            "name": entry["name"],
            "site": entry.get("site"),
            "location": os.path.basename(entry["location"]),
            "launches": [(kernels[launch["kernel"]], launch["grid"], launch["block"],
                          launch.get("dynamic_shared_bytes", 0)) for launch in entry.get("launches", [])],
            "accesses": [(buffers.setdefault(access["buffer"], len(buffers)), access["mode"], access["offset"],
                          access["bytes"], access.get("stride", 0), access.get("count", 1))
                         for access in entry.get("accesses", [])],
            "constraints": entry.get("constraints"),
            "priority": entry.get("priority", 0),
        }

    tasks = [task(entry) for entry in graph["tasks"]]
    dependencies = sorted((names[edge["from"]], names[edge["to"]], edge.get("bytes", 0))
                          for edge in graph.get("dependencies", []))
    return tasks, dependencies


def main():
    (tasks, dependencies), (recorded_tasks, recorded_dependencies) = map(load, sys.argv[1:3])
    for index, (one, other) in enumerate(zip(tasks, recorded_tasks)):
        if one != other:
            sys.exit(f"task {index} differs\n  annotate: {one}\n  record:   {other}")
    if len(tasks) != len(recorded_tasks):
        sys.exit(f"annotate finds {len(tasks)} tasks, the run has {len(recorded_tasks)}")
    if dependencies != recorded_dependencies:
        sys.exit(f"dependencies differ: {set(dependencies) ^ set(recorded_dependencies)}")
    print(f"{len(tasks)} tasks, {len(dependencies)} dependencies: the same")


main()
