"""The session logs of other tools, each format as one reader: records in, drafts of entries out."""
