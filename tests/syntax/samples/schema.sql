-- Users.
CREATE TABLE users (
  id INT PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE UNIQUE INDEX idx_name ON users (name);

CREATE OR REPLACE VIEW active AS
SELECT *
FROM users
WHERE active;

CREATE FUNCTION total(a INT) RETURNS INT AS $$
BEGIN
  SELECT 1;
  RETURN a;
END;
$$ LANGUAGE plpgsql;

INSERT INTO users (id, name) VALUES
  (1, 'a;b'),
  (2, 'b');

ALTER TABLE users ADD COLUMN age INT;
SELECT * FROM users;
