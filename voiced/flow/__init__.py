"""The only ways that data crosses a thread or a task."""
