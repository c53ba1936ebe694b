"""LangGraph's long-term memory in Suture (docs/langgraph.md)."""
