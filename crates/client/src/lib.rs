//! What a workflow links against.
