CREATE TABLE customers (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    created_at timestamp NOT NULL
);

CREATE TABLE orders (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers (id),
    total numeric NOT NULL,
    cancelled_at timestamp,
    created_at timestamp NOT NULL
);

CREATE VIEW recent_orders AS
SELECT orders.id, customers.name, orders.total
FROM orders
JOIN customers ON customers.id = orders.customer_id
WHERE orders.created_at > now() - interval '30 days'
  AND orders.cancelled_at IS NULL;
