import React, { useState } from 'react';

export function Cart({ lines, onCheckout }) {
  const [coupon, setCoupon] = useState('');
  const total = lines.reduce((sum, line) => sum + line.price * line.count, 0);

  return (
    <section className="cart">
      <h2>Your cart</h2>
      <ul>
        {lines.map((line) => (
          <li key={line.id}>
            {line.name} × {line.count}
          </li>
        ))}
      </ul>
      <input value={coupon} onChange={(event) => setCoupon(event.target.value)} />
      <p className="total">{total.toFixed(2)} €</p>
      {lines.length === 0 && <p>Nothing in here yet.</p>}
      <button disabled={lines.length === 0} onClick={() => onCheckout(coupon)}>Check out</button>
    </section>
  );
}
