using System;

namespace Example.Shop
{
    /// <summary>A shop.</summary>
    [Serializable]
    public class Shop<T> : Base, IDisposable
        where T : class
    {
        private const int Limit = 10;
        private readonly string _name;
        public event EventHandler Changed;
        public delegate void Handler(int x);

        public string Name { get; set; } = "x";

        public int Size
        {
            get { return 1; }
            set
            {
                _size = value;
            }
        }

        public Shop(string name)
            : base(name)
        {
            _name = name;
        }

        [HttpGet("x")]
        [Authorize]
        public async Task<int> SellAsync(
            string item,
            int count)
        {
            int Local(int x) { return x; }
            var y = 1;
            return await Task.FromResult(1);
        }

        public int Twice(int x) => x * 2;

        public int this[int i] => i;

        public static Shop operator +(Shop a, Shop b)
        {
            return a;
        }

        ~Shop() { }
    }

    public interface IShop
    {
        void Sell(string item);
    }

    public struct Point { public int X; }
    public record Person(string Name, int Age);
    public enum Color { Red, Green }
}
