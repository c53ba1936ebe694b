"""Memory for applications: `Memory` with blocking calls, `AsyncMemory` for asyncio."""
