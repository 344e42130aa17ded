CREATE TABLE identity.users (
    user_id uuid PRIMARY KEY,
    -- normalised: trimmed, NFKC, lower case
    email text NOT NULL UNIQUE,
    name text,
    tier text NOT NULL CHECK (tier IN ('free', 'basic', 'pro', 'enterprise')),
    -- PHC string
    password_hash text NOT NULL,
    -- Grows with every change of the password, and stays when the same password is hashed anew: a session is opened only
    -- on the version that was verified.
    password_version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    last_login_at timestamptz
);

CREATE TABLE identity.sessions (
    session_id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES identity.users,
    -- the refresh token (its jti) that is good now
    refresh_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    -- when the last of its tokens ends
    expires_at timestamptz NOT NULL,
    ended_at timestamptz
);
CREATE INDEX sessions_by_user ON identity.sessions (user_id);

-- Refresh tokens that were traded in lately: until then their reuse is taken for a repeated request, not for a theft.
CREATE TABLE identity.spent_refreshes (
    session_id uuid NOT NULL REFERENCES identity.sessions ON DELETE CASCADE,
    refresh_id uuid NOT NULL,
    spent_at timestamptz NOT NULL,
    PRIMARY KEY (session_id, refresh_id)
);
