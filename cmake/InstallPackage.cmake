# Installation, find_package(StreamMAP) and streammap_add_executable.
