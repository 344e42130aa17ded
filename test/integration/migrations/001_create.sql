CREATE TABLE people.people (
    id integer PRIMARY KEY,
    full_name text NOT NULL
);
