"""Memory in the admin: lists, the memory browser, and memory's part of a record's story."""

from governance.admin.navigation import register_page
from governance.admin.story import register
from memory.admin import browser, embeddings, lists, principals, story, tiers, values

register(story.recorded)
register_page("Memory browser", "search", "admin:memory_browser")
register_page("What a principal reads", "supervised_user_circle", "admin:memory_principal")
register_page("Promotion candidates", "moving", "admin:memory_candidates")

__all__ = ["browser", "embeddings", "lists", "principals", "story", "tiers", "values"]
