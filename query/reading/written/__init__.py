"""Names as people write them: identifiers, adjectives of animals, compounds, homonyms."""
