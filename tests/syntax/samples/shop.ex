defmodule Shop.Cart do
  @moduledoc "A cart."
  alias Shop.Item
  @limit 10

  @doc """
  Adds.
  """
  @spec add(t, Item.t()) :: t
  def add(cart, %Item{} = item) when is_map(cart) do
    [item | cart]
  end

  defp total(cart), do: Enum.sum(cart)

  defmacro debug(x) do
    x
  end
end

defmodule Shop.CartTest do
  use ExUnit.Case

  describe "cart" do
    test "adds", %{cart: cart} do
      assert 1 == 1
    end
  end
end
