CREATE TABLE identity.users (
    user_id uuid PRIMARY KEY,
    -- normalised: trimmed, NFKC, lower case
    email text NOT NULL UNIQUE,
    name text,
    tier text NOT NULL CHECK (tier IN ('free', 'basic', 'pro', 'enterprise')),
    -- PHC string
    password_hash text NOT NULL,
    -- Each change of the password increases it; a new hash of the same password does not. A session is opened only if
    -- this is still the version that was verified.
    password_version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    last_login_at timestamptz
);

CREATE TABLE identity.sessions (
    session_id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES identity.users,
    -- the jti of the current refresh token
    refresh_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    -- when the last of its tokens expires
    expires_at timestamptz NOT NULL,
    ended_at timestamptz
);
CREATE INDEX sessions_by_user ON identity.sessions (user_id);

-- Refresh tokens that were spent recently. The reuse of such a token counts as a repeated request, not as a theft.
CREATE TABLE identity.spent_refreshes (
    session_id uuid NOT NULL REFERENCES identity.sessions ON DELETE CASCADE,
    refresh_id uuid NOT NULL,
    spent_at timestamptz NOT NULL,
    PRIMARY KEY (session_id, refresh_id)
);
