package shop.billing;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;

/** Works out what an order costs. */
public class Pricing {

    private final BigDecimal taxRate;

    public Pricing(BigDecimal taxRate) {
        this.taxRate = Objects.requireNonNull(taxRate);
    }

    public BigDecimal total(Order order) {
        return total(order.lines());
    }

    public BigDecimal total(List<Line> lines) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Line line : lines) {
            sum = sum.add(line.price().multiply(line.count()));
        }
        return sum.add(sum.multiply(taxRate));
    }

    @Deprecated
    public BigDecimal tax(Order order) {
        return total(order).multiply(taxRate);
    }
}
