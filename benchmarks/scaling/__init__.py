"""Scale and speed: data, measurements that have a process of their own, what they add up to, and the page."""
